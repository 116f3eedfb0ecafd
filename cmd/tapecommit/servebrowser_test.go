package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/internal/reference"
)

// A tab is a tab of a real browser.
type tab struct {
	t         *testing.T
	ctx       context.Context
	downloads string
	shots     string // folder for screenshots, or empty
}

// openTab starts Chromium until the test ends.
func openTab(t *testing.T) *tab {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("chromium is not installed, and CI must run this")
		}
		t.Skip("chromium is not installed")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.WSURLReadTimeout(time.Minute), chromedp.Flag("disable-dev-shm-usage", true))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &tab{t: t, ctx: ctx, downloads: t.TempDir(), shots: os.Getenv("TAPECOMMIT_SHOTS")}
	b.do() // starts it
	b.ctx, cancel = context.WithTimeout(ctx, 3*time.Minute)
	t.Cleanup(cancel)
	// What the page's own policy or the server refuses shows here. One token is wrong on purpose.
	if err := chromedp.Listen(b.ctx, func(event any) {
		e, ok := event.(*log.EventEntryAdded)
		if ok && (e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning) && !strings.Contains(e.Entry.Text, "401") {
			t.Errorf("the browser says of %s: %s", e.Entry.URL, e.Entry.Text)
		}
	}); err != nil {
		t.Fatal(err)
	}
	call(b, log.Enable, cdp.Empty{})
	if _, err := chromedp.CallBrowser(b.ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior:     browser.SetDownloadBehaviorBehaviorAllow,
		DownloadPath: b.downloads,
	}); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// get is the value of an action.
func get[T any](b *tab, action chromedp.Action[T]) T {
	b.t.Helper()
	value, err := chromedp.Run(b.ctx, action)
	if err != nil {
		b.t.Fatal(err)
	}
	return value
}

// eval is the value of an expression in the page.
func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	return get(b, chromedp.Evaluate[T](expression))
}

// call sends a command of the protocol.
func call[P, R any](b *tab, command cdp.Command[P, R], params P) {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, command, params); err != nil {
		b.t.Fatal(err)
	}
}

// at waits for the page at an address.
func (b *tab) at(url string) {
	b.t.Helper()
	there := chromedp.Evaluate[bool](fmt.Sprintf("location.href === %q && document.readyState === 'complete'", url))
	for {
		// While one page takes the place of another there is none to ask.
		is, err := chromedp.Run(b.ctx, there)
		if is {
			return
		}
		if b.ctx.Err() != nil {
			b.t.Fatalf("the browser does not come to %s: %v", url, err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// shows checks that the page has a text that can be seen.
func (b *tab) shows(text string) {
	b.t.Helper()
	if page := eval[string](b, "document.body.innerText"); !strings.Contains(page, text) {
		b.t.Errorf("the page does not show %q: %s", text, page)
	}
}

// focus moves by the Tab key alone to what a CSS selector names, and checks that one sees where it is.
func (b *tab) focus(selector string) {
	b.t.Helper()
	for range 60 {
		b.do(chromedp.KeyEvent(kb.Tab))
		if eval[bool](b, fmt.Sprintf("document.activeElement.matches(%q)", selector)) {
			if eval[string](b, "getComputedStyle(document.activeElement).outlineStyle") == "none" {
				b.t.Errorf("%s has the focus, and nothing shows it", selector)
			}
			return
		}
	}
	b.t.Fatalf("the Tab key does not lead to %s", selector)
}

// looks shows the page at three widths, light and dark: nothing may stand out at the side.
func (b *tab) looks(name string) {
	b.t.Helper()
	for _, width := range []int64{360, 768, 1280} {
		for _, scheme := range []string{"light", "dark"} {
			b.do(chromedp.EmulateViewport(width, 800))
			call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
				Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
			})
			if wide := eval[int64](b, "document.documentElement.scrollWidth"); wide > width {
				b.t.Errorf("%s at %d: the page is %d wide", name, width, wide)
			}
			if b.shots == "" {
				continue
			}
			png := get(b, chromedp.FullScreenshot(100))
			path := filepath.Join(b.shots, fmt.Sprintf("%s-%d-%s.png", name, width, scheme))
			if err := os.WriteFile(path, png, 0o666); err != nil {
				b.t.Fatal(err)
			}
		}
	}
	b.do(chromedp.EmulateViewport(1280, 800))
}

// downloaded waits for a download.
func (b *tab) downloaded(name string) []byte {
	b.t.Helper()
	path := filepath.Join(b.downloads, name)
	deadline := time.Now().Add(30 * time.Second)
	for {
		// While it comes it has another name.
		content, err := os.ReadFile(path)
		if err == nil {
			return content
		}
		if !errors.Is(err, os.ErrNotExist) || time.Now().After(deadline) {
			b.t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// TestServeBrowser uses the pages in a real browser, by keyboard alone. With $TAPECOMMIT_SHOTS it leaves pictures in that
// folder.
func TestServeBrowser(t *testing.T) {
	store, id, data := writeStore(t, 3_456_789)
	var lost string
	for i, n := range []int{0, 1, 70_000, 999_999} {
		var stdout, stderr bytes.Buffer
		in := bytes.NewReader(reference.Stream(uint64(100+i), n))
		if code := run(t.Context(), []string{"write", "--store", store, "-"}, in, &stdout, &stderr); code != 0 {
			t.Fatalf("write: exit code %d: %s", code, &stderr)
		}
		other := strings.TrimSpace(stdout.String())
		switch n {
		case 1:
			verified(t, store, other, 0)
		case 999_999: // nine lanes are left
			lost = other
			for lane := range 11 {
				if err := os.Remove(filepath.Join(store, other, fmt.Sprintf("lane-%02d", lane))); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	s := startServe(t, "--store", store, "--writable", "--token-file", tokenFile(t, serveToken))
	b := openTab(t)
	view := s.url + "/view/" + id
	link := fmt.Sprintf(`a[href="view/%s"]`, id)

	b.do(chromedp.Navigate(s.url + "/"))
	b.at(s.url + "/")
	if rows := eval[int](b, "document.querySelectorAll('.blobs tbody tr').length"); rows != 5 {
		t.Errorf("%d rows, want 5", rows)
	}
	b.shows("3.3 MiB")
	b.shows("Lost in part")
	b.looks("list")
	b.do(chromedp.Navigate(s.url + "/view/" + lost))
	b.shows("9 lanes are whole, 10 are needed")
	b.looks("lost")
	b.do(chromedp.Navigate(s.url + "/"))
	b.at(s.url + "/")

	b.focus(link)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.at(view)
	b.shows(id)
	b.shows("Not verified yet")
	b.looks("unverified")

	verified(t, store, id, 0)
	b.do(chromedp.Reload())
	b.shows("Whole")
	b.shows("Last verified")

	b.focus("a[download]")
	b.do(chromedp.KeyEvent(kb.Enter))
	if got := b.downloaded(id); !bytes.Equal(got, data) {
		t.Errorf("%d bytes were downloaded, want %d", len(got), len(data))
	}

	flipFirst(t, store, id, "lane-03")
	verified(t, store, id, 1)
	if err := os.Remove(filepath.Join(store, id, "lane-11")); err != nil {
		t.Fatal(err)
	}
	b.do(chromedp.Reload())
	b.shows("Damaged")
	b.shows("verify: 1 fault")
	b.shows("lane-11 is missing")
	b.looks("damaged")

	b.focus(`a[href="../"]`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.at(s.url + "/")
	if health := eval[string](b, fmt.Sprintf("document.querySelector(%q).closest('tr').querySelector('.health').innerText", link)); health != "Damaged" {
		t.Errorf("the list says %q", health)
	}

	// The dialog that chooses a file belongs to the system; all else is done by keys.
	file := filepath.Join(t.TempDir(), "file")
	content := reference.Stream(7, 50_000)
	if err := os.WriteFile(file, content, 0o666); err != nil {
		t.Fatal(err)
	}
	upload := func(token string) {
		b.focus("#token")
		b.do(chromedp.KeyEvent(token))
		b.focus("#file")
		b.do(chromedp.SetUploadFiles("#file", []string{file}))
		b.focus("button[type=submit]")
		b.do(chromedp.KeyEvent(kb.Enter))
	}
	upload("not the token")
	b.at(s.url + "/blobs")
	b.shows("Wrong token.")
	b.looks("refused")
	b.focus("a")
	b.do(chromedp.KeyEvent(kb.Enter))
	b.at(s.url + "/")
	upload(serveToken)
	stored := commit.ID(reference.Make(reference.Params{K: 10, N: 20, SliceSize: 4096}, content).ID())
	b.at(s.url + "/view/" + stored.String())
	b.shows("50\u202f000 bytes")
	if eval[bool](b, "document.cookie !== '' || localStorage.length > 0") {
		t.Error("the page keeps something in the browser")
	}
}
