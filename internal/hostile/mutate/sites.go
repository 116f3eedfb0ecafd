package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The verifier's sources.
var patterns = []string{
	"commit/header.go",
	"commit/manifest.go",
	"commit/params.go",
	"proof/*.go",
	"proof/internal/plan/*.go",
	"proof/evidence/*.go",
}

// deciders are the functions whose comparisons decide a verdict although none of them returns an error.
var deciders = []string{
	"proof.leaves",     // whether an answer's hashes lead to the root
	"proof.judge",      // the verdicts on its samples
	"proof.Load",       // whether leaf hashes lead to a group's root
	"proof.Retry",      // the same, the second time
	"proof.Open",       // whether a slice matches its leaf hash
	"proof.follow",     // whether bundles are one range
	"proof.parse",      // whether a proof is of the slices that are meant
	"proof.values",     // which samples a challenge draws
	"evidence.finding", // what evidence shows
	"plan.kindOf",      // what comes from outside and what is padding
	"plan.split",       // on which side of the tree a slice is
}

// The kinds of changes.
const (
	gone   = "check gone"
	passed = "error passed over"
	part   = "part of a check gone"
	edge   = "edge off by one"
	yes    = "comparison always true"
	no     = "comparison never true"
)

var kinds = []string{gone, passed, part, edge, yes, no}

// change is one change of a source.
type change struct {
	id       int
	kind     string
	file     string
	line     int
	function string // package and name
	text     string // the condition, the part or the comparison
}

func (c change) String() string {
	return fmt.Sprintf("%s:%d: %s: %s", c.file, c.line, c.function, c.kind)
}

// source is a file and the changes in it.
type source struct {
	path    string
	text    []byte
	fset    *token.FileSet
	file    *ast.File
	edits   []edit
	changes []change
}

// load parses the verifier's sources.
func load() ([]*source, error) {
	var all []*source
	for _, pattern := range patterns {
		paths, err := filepath.Glob(filepath.FromSlash(pattern))
		if err != nil || len(paths) == 0 {
			return nil, fmt.Errorf("no source fits %s: is this the root of the repository? %v", pattern, err)
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			s := &source{path: path, fset: token.NewFileSet()}
			if s.text, err = os.ReadFile(path); err != nil {
				return nil, err
			}
			if s.file, err = parser.ParseFile(s.fset, path, s.text, parser.SkipObjectResolution); err != nil {
				return nil, err
			}
			all = append(all, s)
		}
	}
	return all, nil
}

// number finds the changes of all sources and numbers them from 1.
//
// It fails where it may have overlooked something: a rule that is named outside of all checks that it found, or a
// function of deciders that is not there.
func number(sources []*source) ([]change, error) {
	rules := ruleNames()
	refusing := refusingFunctions(sources, rules)
	met := map[string]bool{}
	var all []change
	for _, s := range sources {
		f := finder{source: s, next: len(all) + 1, rules: rules, refusing: refusing}
		f.find(met)
		if err := f.overlooked(); err != nil {
			return nil, err
		}
		all = append(all, s.changes...)
	}
	for _, name := range deciders {
		if !met[name] {
			return nil, fmt.Errorf("there is no function %s", name)
		}
	}
	return all, nil
}

// rules are the names of the constants of package commit that an error about refused bytes wraps.
type rules map[string]bool

func ruleNames() rules {
	names := rules{}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("commit", "rule.go"), nil, parser.SkipObjectResolution)
	if err != nil {
		panic(err) // load has found the folder
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			names[spec.Names[0].Name] = true
		}
		return true
	})
	return names
}

// named reports whether a rule is named below n, not counting blocks within it.
func (r rules) named(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			return false
		case *ast.SelectorExpr:
			found = found || isIdent(n.X, "commit") && r[n.Sel.Name]
			return false // a field may have the name of a rule
		case *ast.Ident:
			found = found || r[n.Name]
		}
		return true
	})
	return found
}

// refusingFunctions are the functions that return errors about rules, their own or others', as called names them.
func refusingFunctions(sources []*source, r rules) map[string]bool {
	calls := map[string][]string{}
	refusing := map[string]bool{}
	for _, s := range sources {
		for _, d := range s.file.Decls {
			d, ok := d.(*ast.FuncDecl)
			if !ok || d.Body == nil {
				continue
			}
			name := "." + d.Name.Name
			if d.Recv == nil {
				name = s.file.Name.Name + name
			}
			ast.Inspect(d.Body, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.ReturnStmt, *ast.AssignStmt:
					refusing[name] = refusing[name] || r.named(n)
				case *ast.CallExpr:
					calls[name] = append(calls[name], s.called(n))
				}
				return true
			})
		}
	}
	for grown := true; grown; {
		grown = false
		for name, callees := range calls {
			if !refusing[name] && slices.ContainsFunc(callees, func(c string) bool { return refusing[c] }) {
				refusing[name], grown = true, true
			}
		}
	}
	return refusing
}

// called is what c calls: commit.OpenHeader for a function, .Samples for a method of whatever type.
func (s *source) called(c *ast.CallExpr) string {
	switch f := c.Fun.(type) {
	case *ast.Ident:
		return s.file.Name.Name + "." + f.Name
	case *ast.SelectorExpr:
		if isIdent(f.X, "commit") || isIdent(f.X, "proof") || isIdent(f.X, "plan") {
			return f.X.(*ast.Ident).Name + "." + f.Sel.Name
		}
		return "." + f.Sel.Name
	}
	return ""
}

// finder finds the changes of one source.
type finder struct {
	*source
	next     int
	rules    rules
	refusing map[string]bool
	function string
	found    []ast.Stmt // that name a rule, in a check
}

// overlooked looks for rules that are named where no check was found.
func (f *finder) overlooked() error {
	var err error
	ast.Inspect(f.file, func(n ast.Node) bool {
		if s, ok := n.(ast.Stmt); ok {
			if slices.Contains(f.found, s) {
				return false
			}
			switch s.(type) {
			case *ast.BlockStmt, *ast.CaseClause: // statements, each of which has its turn
			default:
				if f.rules.named(s) {
					err = fmt.Errorf("%v: a rule is named, and in no check", f.fset.Position(s.Pos()))
				}
			}
		}
		return true
	})
	return err
}

func (f *finder) find(met map[string]bool) {
	for _, d := range f.file.Decls {
		d, ok := d.(*ast.FuncDecl)
		if !ok || d.Body == nil {
			continue
		}
		f.function = f.file.Name.Name + "." + d.Name.Name
		met[f.function] = true
		decides := slices.Contains(deciders, f.function)
		ast.Inspect(d.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BlockStmt:
				f.list(n.List)
			case *ast.CaseClause:
				f.list(n.Body)
			case *ast.SwitchStmt:
				f.cases(n)
			case *ast.IfStmt:
				if f.refuses(n.Body.List) {
					f.check(n.Cond)
					return !decides
				}
				if panics(n.Body.List) {
					return false // a caller's mistake
				}
			case *ast.ForStmt:
				// The loop's own comparison counts, it does not decide.
				if decides && n.Cond != nil {
					ast.Inspect(n.Body, f.decision)
					return false
				}
			}
			if decides {
				f.decision(n)
			}
			return true
		})
	}
}

// list looks for errors that are passed on: in if err := f(); err != nil { return err }, or with f in the statement
// before.
func (f *finder) list(list []ast.Stmt) {
	for i, s := range list {
		n, ok := s.(*ast.IfStmt)
		if !ok || !passesOn(n) {
			continue
		}
		from := n.Init
		if from == nil && i > 0 {
			from = list[i-1]
		}
		a, ok := from.(*ast.AssignStmt)
		if !ok || len(a.Rhs) != 1 {
			continue
		}
		if c, ok := a.Rhs[0].(*ast.CallExpr); ok && f.refusing[f.called(c)] {
			i := f.add(passed, n, f.clip(a.Pos(), a.End()))
			f.never(n.Cond, i)
		}
	}
}

// refuses reports whether statements return or set an error that wraps a rule, not counting blocks within them.
func (f *finder) refuses(list []ast.Stmt) bool {
	before := len(f.found)
	for _, s := range list {
		switch s.(type) {
		case *ast.ReturnStmt, *ast.AssignStmt:
			if f.rules.named(s) {
				f.found = append(f.found, s)
			}
		}
	}
	return len(f.found) > before
}

// passesOn reports whether n does nothing but return an error that it found.
func passesOn(n *ast.IfStmt) bool {
	c, ok := n.Cond.(*ast.BinaryExpr)
	if !ok || c.Op != token.NEQ || !isIdent(c.X, "err") || !isIdent(c.Y, "nil") || len(n.Body.List) != 1 {
		return false
	}
	r, ok := n.Body.List[0].(*ast.ReturnStmt)
	return ok && len(r.Results) > 0 && isIdent(r.Results[len(r.Results)-1], "err")
}

func panics(list []ast.Stmt) bool {
	if len(list) != 1 {
		return false
	}
	s, ok := list[0].(*ast.ExprStmt)
	if !ok {
		return false
	}
	c, ok := s.X.(*ast.CallExpr)
	return ok && isIdent(c.Fun, "panic")
}

func isIdent(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// cases looks at the clauses of a switch: conditions where it has no tag, else values, which a change leaves at once.
func (f *finder) cases(n *ast.SwitchStmt) {
	for _, s := range n.Body.List {
		clause := s.(*ast.CaseClause)
		if !f.refuses(clause.Body) {
			continue
		}
		if n.Tag == nil && len(clause.List) == 1 {
			f.check(clause.List[0])
			continue
		}
		i := f.add(gone, clause, f.clip(clause.Pos(), clause.Colon))
		f.insert(clause.Colon+1, fmt.Sprintf(" if %s(%d) { break }; ", probe, i))
	}
}

// check adds the changes of a condition under which bytes are refused.
func (f *finder) check(cond ast.Expr) {
	f.never(cond, f.add(gone, cond, f.clip(cond.Pos(), cond.End())))
	f.parts(cond)
}

// never makes a condition never hold, always makes it hold always.
func (f *finder) never(cond ast.Expr, i int) {
	f.wrap(cond, fmt.Sprintf("(!%s(%d) && (", probe, i), "))")
}
func (f *finder) always(cond ast.Expr, i int) {
	f.wrap(cond, fmt.Sprintf("(%s(%d) || (", probe, i), "))")
}

// parts adds changes of what a condition is made of.
func (f *finder) parts(e ast.Expr) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		f.parts(e.X)
	case *ast.BinaryExpr:
		if e.Op != token.LOR && e.Op != token.LAND {
			f.edge(e)
			return
		}
		for _, x := range []ast.Expr{e.X, e.Y} {
			if inner, ok := x.(*ast.BinaryExpr); ok && (inner.Op == e.Op || isIdent(inner.Y, "nil")) {
				// More parts of the same kind, or whether there was an error before.
			} else if i := f.add(part, x, f.clip(x.Pos(), x.End())); e.Op == token.LOR {
				f.never(x, i)
			} else {
				f.always(x, i)
			}
			f.parts(x)
		}
	}
}

// edge adds a change by which a comparison takes equal numbers for ordered ones, or does not.
func (f *finder) edge(e *ast.BinaryExpr) {
	equal := fmt.Sprintf("(%s) == (%s)", f.clip(e.X.Pos(), e.X.End()), f.clip(e.Y.Pos(), e.Y.End()))
	text := f.clip(e.Pos(), e.End())
	switch e.Op {
	case token.LSS, token.GTR:
		f.wrap(e, "(", fmt.Sprintf(" || %s(%d) && %s)", probe, f.add(edge, e, text), equal))
	case token.LEQ, token.GEQ:
		f.wrap(e, "(", fmt.Sprintf(" && !(%s(%d) && %s))", probe, f.add(edge, e, text), equal))
	}
}

// decision adds the changes of a comparison that decides a verdict.
func (f *finder) decision(n ast.Node) bool {
	e, ok := n.(*ast.BinaryExpr)
	if !ok {
		return true
	}
	switch e.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		if isIdent(e.Y, "nil") || isIdent(e.Y, "batch") {
			return true // errors and the filling of a batch
		}
		text := f.clip(e.Pos(), e.End())
		f.always(e, f.add(yes, e, text))
		f.never(e, f.add(no, e, text))
		f.edge(e)
	}
	return true
}

func (f *finder) add(kind string, at ast.Node, text string) int {
	i := f.next
	f.next++
	f.changes = append(f.changes, change{i, kind, filepath.ToSlash(f.path), f.fset.Position(at.Pos()).Line, f.function, strings.Join(strings.Fields(text), " ")})
	return i
}

func (f *finder) clip(from, to token.Pos) string {
	return string(f.text[f.fset.Position(from).Offset:f.fset.Position(to).Offset])
}
