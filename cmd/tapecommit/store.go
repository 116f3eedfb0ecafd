package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof/remote"
)

// storeFlag is the store that a command works on.
type storeFlag struct{ path string }

func (s *storeFlag) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.path, "store", "", "the store, a `FOLDER` (default $TAPECOMMIT_STORE, else ./tapecommit-store)")
	cmd.MarkFlagDirname("store")
}

// addReading adds the flag to a command that only reads: it takes a gateway, too.
func (s *storeFlag) addReading(cmd *cobra.Command) {
	s.add(cmd)
	cmd.Flags().Lookup("store").Usage = "the store, a `FOLDER` or the URL of a gateway (default $TAPECOMMIT_STORE, else ./tapecommit-store)"
}

// name is what the store is called.
func (s *storeFlag) name(cmd *cobra.Command) (string, error) {
	path := s.path
	switch {
	case cmd.Flags().Changed("store"):
	case os.Getenv("TAPECOMMIT_STORE") != "":
		path = os.Getenv("TAPECOMMIT_STORE")
	default:
		path = "tapecommit-store"
	}
	if path == "" {
		return "", wrongUsef("the store has no name")
	}
	if strings.Contains(path, "://") && !isGateway(path) {
		return "", wrongUsef("store %s: only folders are stores, and http and https URLs of gateways", path)
	}
	return path, nil
}

// resolve finds the folder.
func (s *storeFlag) resolve(cmd *cobra.Command) (string, error) {
	path, err := s.name(cmd)
	if err == nil && isGateway(path) {
		err = wrongUsef("store %s: that is a gateway, which can only be read from: %s wants the folder", redacted(path), cmd.Name())
	}
	return path, err
}

// open opens a store that is there.
func (s *storeFlag) open(cmd *cobra.Command) (blob.Store, error) {
	path, err := s.resolve(cmd)
	if err != nil {
		return nil, err
	}
	fi, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, wrongUsef("no store at %s", path)
	case err != nil:
		return nil, err
	case !fi.IsDir():
		return nil, wrongUsef("no store at %s: it is no folder", path)
	}
	return blob.OpenDir(path)
}

// create opens a store, and makes it where it is not there.
func (s *storeFlag) create(cmd *cobra.Command) (blob.Store, error) {
	path, err := s.resolve(cmd)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(path, 0o777); err != nil {
		return nil, err
	}
	return blob.OpenDir(path)
}

func openBlob(ctx context.Context, store blob.Store, id commit.ID) (*blob.Blob, error) {
	b, err := blob.Open(ctx, store, id, blob.Options{})
	if err != nil {
		return nil, unknown(id, err)
	}
	return b, nil
}

// unknownBlob is the error of an ID that the store does not know.
type unknownBlob struct{ id commit.ID }

func (e unknownBlob) Error() string { return fmt.Sprintf("no blob %v in the store", e.id) }

// unknown is answer for an error of opening a blob.
func unknown(id commit.ID, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return refusal{unknownBlob{id}}
	}
	return answer(err)
}

// answer makes of an error about a blob the answer no, where the blob and not the
// reading of it is at fault. An object that cannot be read counts as missing, so that
// many a failure to read is a lost group here.
func answer(err error) error {
	var lost *blob.LostError
	var encoding *blob.EncodingError
	var rule commit.Rule
	var status *remote.StatusError
	if errors.As(err, &status) && (status.Status == http.StatusInternalServerError || status.Status == http.StatusNotFound) {
		return refusal{err} // a gateway that cannot give it, either
	}
	if errors.As(err, &lost) || errors.As(err, &encoding) || errors.As(err, &rule) {
		return refusal{err}
	}
	for _, no := range []error{blob.ErrNoHeader, blob.ErrNoRoots, blob.ErrMissing, blob.ErrShort, blob.ErrWrong} {
		if errors.Is(err, no) {
			return refusal{err}
		}
	}
	return err
}

// complete offers the IDs in the store to a shell.
func (s *storeFlag) complete(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	store, err := s.open(cmd)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var ids []string
	for id, err := range store.IDs(cmd.Context()) {
		if err == nil && strings.HasPrefix(id.String(), prefix) {
			ids = append(ids, id.String())
		}
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

// describe names the code of a blob.
func describe(p commit.Params) string {
	return fmt.Sprintf("%d of %d slices of %d bytes", p.K, p.N, p.SliceSize)
}
