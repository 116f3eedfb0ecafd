//go:build !unix

package main

import "errors"

func outsider(string) (contestant, error) {
	return contestant{}, errors.New("it wants a process that can be stopped, which this system has not")
}
