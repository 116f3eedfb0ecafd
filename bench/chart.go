package main

import (
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// colours are those of the chart's contestants, which Okabe and Ito chose so that everybody can tell them apart.
var colours = map[string]color.Color{
	byDefault:  color.RGBA{0x00, 0x72, 0xb2, 0xff},
	tape:       color.RGBA{0xd5, 0x5e, 0x00, 0xff},
	commonware: color.RGBA{0xe6, 0x9f, 0x00, 0xff},
	minioLanes: color.RGBA{0xcc, 0x79, 0xa7, 0xff},
	minio:      color.RGBA{0x00, 0x9e, 0x73, 0xff},
	standard:   color.RGBA{0x88, 0x88, 0x88, 0xff},
}

// drawn are the contestants of the chart, from the top down.
func (r *report) drawn(shapes []string) []string {
	timed := r.contestants(shapes)
	return slices.DeleteFunc([]string{byDefault, tape, commonware, minioLanes, minio, standard}, func(by string) bool {
		return !slices.Contains(timed, by) || r.note(by).Void != ""
	})
}

// legend is a contestant's name beside its colour.
func legend(by string) string {
	switch by {
	case byDefault:
		return "tapecommit"
	case commonware:
		return "commonware"
	}
	return by
}

const (
	chartWidth = 24 * vg.Centimeter
	barWidth   = 9 // points
	barGap     = 2
	lineHeight = 11 * vg.Centimeter
	panelGap   = 0.6 * vg.Centimeter
)

// writeChart draws throughput by work, and the time of a slice by the size of the batch, as SVG.
func (r *report) writeChart(w io.Writer) error {
	var panels []*plot.Plot
	var heights []vg.Length
	if names := r.mainNames(); len(names) > 0 {
		p, height, err := r.bars(names)
		if err != nil {
			return err
		}
		panels, heights = append(panels, p), append(heights, height)
	}
	if names := r.batches(); len(names) > 0 {
		p, err := r.lines(names)
		if err != nil {
			return err
		}
		panels, heights = append(panels, p), append(heights, lineHeight)
	}
	if panels == nil {
		return errors.New("nothing was timed that the chart shows")
	}
	height := panelGap * vg.Length(len(panels))
	for _, h := range heights {
		height += h
	}

	canvas := vgsvg.New(chartWidth, height)
	c := draw.New(canvas)
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	top := height
	for i, p := range panels {
		p.Draw(draw.Canvas{Canvas: canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: panelGap / 2, Y: top - heights[i]},
			Max: vg.Point{X: chartWidth - panelGap, Y: top - panelGap/2},
		}})
		top -= heights[i] + panelGap
	}
	var svg strings.Builder
	if _, err := canvas.WriteTo(&svg); err != nil {
		return err
	}
	_, err := strings.NewReplacer("font-family:Liberation Sans", "font-family:Liberation Sans,Arial,Helvetica,sans-serif").
		WriteString(w, svg.String())
	return err
}

func newPlot(title string) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	p.Title.Padding = vg.Points(8)
	for _, s := range []*text.Style{&p.Title.TextStyle, &p.Legend.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle,
		&p.X.Tick.Label, &p.Y.Tick.Label} {
		s.Font.Typeface, s.Font.Variant = "Liberation", "Sans"
		s.Font.Size = vg.Points(10)
	}
	p.Title.TextStyle.Font.Size = vg.Points(13)
	// Left of its names, so that a font that is wider than the one measured with does not run into the thumbnails.
	p.Legend.Left = true
	p.Legend.XOffs = chartWidth - 8*vg.Centimeter
	p.Legend.ThumbnailWidth = vg.Points(14)
	p.Legend.Padding = vg.Points(3)
	return p
}

// every makes ticks at the multiples of a step.
func every(step float64) plot.TickerFunc {
	return func(lo, hi float64) []plot.Tick {
		var ticks []plot.Tick
		for v := math.Ceil(lo/step) * step; v <= hi; v += step {
			ticks = append(ticks, plot.Tick{Value: v, Label: fmt.Sprint(v)})
		}
		return ticks
	}
}

// bars has a group of bars for each work: gigabytes of messages a second, and how many times crypto/sha256 that is.
func (r *report) bars(names []string) (*plot.Plot, vg.Length, error) {
	by := r.drawn(names)
	p := newPlot(fmt.Sprintf("SHA-256 on one core, %s: %s", r.Machine.Family, r.Machine.CPU))
	p.X.Label.Text = "GB of messages a second (and how many times crypto/sha256 that is)"
	p.X.Min = 0
	grid := plotter.NewGrid()
	grid.Horizontal.Width = 0
	grid.Vertical.Color = color.Gray{0xdd}
	p.Add(grid)

	most := 0.0
	for i, contestant := range by {
		values := make(plotter.Values, len(names))
		labels := plotter.XYLabels{XYs: make(plotter.XYs, len(names)), Labels: make([]string, len(names))}
		for n, name := range names {
			x, ok := r.result(name, contestant, 1)
			if !ok {
				continue
			}
			at := len(names) - 1 - n // the first work is at the top
			values[at] = float64(r.work(name).Bytes) / x.Ns.Median
			most = max(most, values[at])
			labels.XYs[at] = plotter.XY{X: values[at], Y: float64(at)}
			labels.Labels[at] = fmt.Sprintf("%.2f", values[at])
			if x.Ratio != nil && contestant != standard {
				labels.Labels[at] += fmt.Sprintf(" (%.1f×)", x.Ratio.Median)
			}
		}
		b, err := plotter.NewBarChart(values, vg.Points(barWidth))
		if err != nil {
			return nil, 0, err
		}
		b.Horizontal = true
		b.Color = colours[contestant]
		b.LineStyle.Width = 0
		b.Offset = vg.Points((float64(len(by)-1)/2 - float64(i)) * (barWidth + barGap))
		l, err := plotter.NewLabels(labels)
		if err != nil {
			return nil, 0, err
		}
		for s := range l.TextStyle {
			l.TextStyle[s].Font = font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(8)}
			l.TextStyle[s].YAlign = draw.YCenter
			l.TextStyle[s].Color = color.Gray{0x33}
		}
		l.Offset = vg.Point{X: vg.Points(3), Y: b.Offset}
		p.Add(b, l)
		p.Legend.Add(legend(contestant), b)
	}
	p.X.Max = most * 1.12 // for the numbers behind the bars
	titles := make([]string, len(names))
	for n, name := range names {
		titles[len(names)-1-n] = r.work(name).Title
	}
	p.NominalY(titles...)
	p.Y.Min, p.Y.Max = -0.5, float64(len(names))-0.5
	p.Y.Padding = vg.Points(8)
	p.X.Tick.Marker = every(0.5)
	p.Legend.YOffs = vg.Points(6)
	group := vg.Points(float64(len(by)*(barWidth+barGap) + 14))
	return p, group*vg.Length(len(names)) + 3*vg.Centimeter, nil
}

// lines has the time of a slice over the size of the batch.
func (r *report) lines(names []string) (*plot.Plot, error) {
	p := newPlot("A batch of 1 to 40 slices of 4096 bytes")
	p.X.Label.Text = "slices in a batch"
	p.Y.Label.Text = "nanoseconds a slice"
	p.Y.Min = 0
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = color.Gray{0xdd}, color.Gray{0xee}
	p.Add(grid)
	most := 0.0
	for _, contestant := range r.drawn(names) {
		var points plotter.XYs
		for _, name := range names {
			if x, ok := r.result(name, contestant, 1); ok {
				n := float64(r.count(name))
				points = append(points, plotter.XY{X: n, Y: x.Ns.Median / n})
				most = max(most, x.Ns.Median/n)
			}
		}
		l, s, err := plotter.NewLinePoints(points)
		if err != nil {
			return nil, err
		}
		l.Color, s.Color = colours[contestant], colours[contestant]
		l.Width = vg.Points(1.5)
		s.Shape, s.Radius = draw.CircleGlyph{}, vg.Points(2)
		p.Add(l, s)
		p.Legend.Add(legend(contestant), l, s)
	}
	p.Y.Max = most * 1.4 // for the legend
	p.X.Tick.Marker, p.Y.Tick.Marker = every(4), every(500)
	p.Legend.Top = true
	return p, nil
}
