package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// envKernel pins a kernel of hashcore from outside.
const envKernel = "TAPECOMMIT_KERNEL"

// options are what the command line says.
type options struct {
	json   string // a file, or "-" for stdout in place of the text
	out    string // the folder of BENCHMARKS.md, or ""
	run    *regexp.Regexp
	rounds int
	cores  int
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if len(os.Args) == 3 && os.Args[1] == "-outsider" {
		if err := beOutsider(os.Args[2], os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		return
	}
	o, err := parse(os.Args[1:], os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	} else if err != nil {
		os.Exit(2)
	}
	if err := bench(ctx, o, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func parse(args []string, stderr io.Writer) (o options, err error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.json, "json", "", "write the report as JSON to a `file`, or with - to stdout in place of the text")
	flags.StringVar(&o.out, "o", "", "put the tables into BENCHMARKS.md in a `folder`, and the chart below it")
	flags.IntVar(&o.rounds, "rounds", 21, "time everything so often")
	flags.IntVar(&o.cores, "cores", min(2, runtime.NumCPU()), "time some works on so many cores, too")
	run := flags.String("run", "", "time only shapes whose name matches a regular `expression`")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		err = fmt.Errorf("operand %q, which is none", flags.Arg(0))
	} else if o.run, err = regexp.Compile(*run); err != nil {
	} else if *run != "" && o.out != "" {
		err = errors.New("-o wants all shapes, not those of -run")
	} else if o.rounds < 1 {
		err = fmt.Errorf("-rounds %d", o.rounds)
	} else if o.cores < 1 || o.cores > runtime.NumCPU() {
		err = fmt.Errorf("-cores %d of %d", o.cores, runtime.NumCPU())
	}
	if err != nil {
		fmt.Fprintln(stderr, "bench:", err)
	}
	return o, err
}

func (o *options) command() string {
	args := []string{"go run ./bench", "-rounds", fmt.Sprint(o.rounds), "-cores", fmt.Sprint(o.cores)}
	if s := o.run.String(); s != "" {
		args = append(args, "-run", s)
	}
	return strings.Join(args, " ")
}

// bench measures and reports. What would fail behind minutes of measuring fails first.
func bench(ctx context.Context, o options, stdout, stderr io.Writer) error {
	if os.Getenv(envKernel) != "" {
		return fmt.Errorf("%s is set, and would be taken for the default choice", envKernel)
	}
	if !matches(o.run) {
		return fmt.Errorf("no shape matches %q", o.run)
	}
	if o.out != "" {
		if _, err := os.Stat(filepath.Join(o.out, benchmarksFile)); err != nil {
			return err
		}
	}
	r, err := measureAll(ctx, o, stderr)
	if err != nil {
		return err
	}
	asJSON, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	asJSON = append(asJSON, '\n')
	if o.json == "-" {
		_, err = stdout.Write(asJSON)
	} else {
		err = r.writeText(stdout)
	}
	if err == nil && o.json != "" && o.json != "-" {
		err = os.WriteFile(o.json, asJSON, 0o666)
	}
	if err == nil && o.out != "" {
		err = r.publish(o.out)
	}
	return err
}

func measureAll(ctx context.Context, o options, log io.Writer) (*report, error) {
	all, absent := inGo()
	defer func() {
		for _, c := range all {
			if c.end != nil {
				c.end()
			}
		}
	}()
	rust, err := newRust(ctx, log)
	if err != nil {
		return nil, err
	}
	all = append(all, rust.all...)
	notes := append(append(goNotes(), absent...), rust.notes...)
	for _, n := range notes {
		switch {
		case n.Absent != "":
			fmt.Fprintf(log, "without %s: %s\n", n.Name, n.Absent)
		case n.Void != "":
			fmt.Fprintf(log, "%s is void: %s\n", n.Name, n.Void)
		}
	}

	list, err := heats(ctx, all, o.cores, o.run)
	if err != nil {
		return nil, err
	}
	samples, err := measure(ctx, list, o.rounds, log)
	if err != nil {
		return nil, err
	}
	m := thisMachine()
	w := wantedTable{family: m.Family, series: samples, notes: notes}
	w.addHashing(&m)
	if err := w.addPath(ctx, o); err != nil {
		return nil, err
	}
	if rust.all != nil {
		m.Rust = rustVersion(ctx)
	}
	return &report{
		Date:    time.Now().UTC().Format(time.DateOnly),
		Command: o.command(),
		Machine: m,
		Rounds:  o.rounds,
		CallNs:  rust.callNs,
		Rivals:  notes,
		Works:   works(),
		Results: results(list, samples),
		Wanted:  w.rows,
		Choices: choices(list, samples),
	}, nil
}

const benchmarksFile = "BENCHMARKS.md"

// publish puts the report into the project: the tables, and the chart beside this program's source.
func (r *report) publish(dir string) error {
	name := filepath.Join(dir, benchmarksFile)
	doc, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	at := "bench/figures/" + r.Machine.slug() + ".svg"
	text, err := replaceTables(string(doc), r.Machine.Family, r.Machine.slug(), r.markdown(at))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	var chart strings.Builder
	if err := r.writeChart(&chart); err != nil {
		return err
	}
	svg := filepath.Join(dir, filepath.FromSlash(at))
	if err := os.MkdirAll(filepath.Dir(svg), 0o777); err != nil {
		return err
	}
	if err := writeWhole(svg, chart.String()); err != nil {
		return err
	}
	return writeWhole(name, text)
}

// writeWhole leaves the file as it was, or with all of the text.
func writeWhole(name, text string) error {
	made := name + ".new"
	err := os.WriteFile(made, []byte(text), 0o666)
	if err == nil {
		err = os.Rename(made, name)
	}
	if err != nil {
		os.Remove(made)
	}
	return err
}
