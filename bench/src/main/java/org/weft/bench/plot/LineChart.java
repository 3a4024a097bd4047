package org.weft.bench.plot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * Lines over a common axis, as SVG.
 *
 * @param logarithmicX equal steps to the right are equal factors
 * @param logarithmicY equal steps upwards are equal factors
 */
public record LineChart(
    String title,
    String xName,
    String yName,
    boolean logarithmicX,
    boolean logarithmicY,
    List<Series> series) {
  private static final int WIDTH = 720;
  private static final int HEIGHT = 420;
  private static final int LEFT = 70;
  private static final int RIGHT = 200;
  private static final int TOP = 40;
  private static final int BOTTOM = 52;
  private static final int LINE_HEIGHT = 18;
  private static final String[] COLOURS = {
    "#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b", "#7f7f7f"
  };

  /** One that goes up from zero. */
  public LineChart(
      String title, String xName, String yName, boolean logarithmicX, List<Series> series) {
    this(title, xName, yName, logarithmicX, false, series);
  }

  public LineChart {
    series = List.copyOf(series);
    if (series.stream().allMatch(each -> each.points().isEmpty())) {
      throw new IllegalArgumentException("nothing to draw in '" + title + "'");
    }
  }

  public void write(Path file) throws IOException {
    var unused = Files.writeString(file, svg());
  }

  /** The chart as a document. */
  String svg() {
    Axis x = Axis.over(values(Series.Point::x), logarithmicX, LEFT, WIDTH - RIGHT);
    Axis y = Axis.over(values(Series.Point::y), logarithmicY, HEIGHT - BOTTOM, TOP);
    StringBuilder svg = new StringBuilder();
    add(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\""
            + " font-family=\"sans-serif\" font-size=\"12\">",
        WIDTH,
        HEIGHT,
        WIDTH,
        HEIGHT);
    add(svg, "<rect width=\"%d\" height=\"%d\" fill=\"white\"/>", WIDTH, HEIGHT);
    text(svg, (LEFT + WIDTH - RIGHT) / 2.0, TOP / 2.0, "middle", title);
    text(svg, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 10, "middle", xName);
    add(
        svg,
        "<text transform=\"translate(16 %d) rotate(-90)\" text-anchor=\"middle\">%s</text>",
        (TOP + HEIGHT - BOTTOM) / 2,
        escaped(yName));
    grid(svg, x, y);
    for (int i = 0; i < series.size(); i++) {
      line(svg, x, y, series.get(i), COLOURS[i % COLOURS.length]);
      legend(svg, i, series.get(i), COLOURS[i % COLOURS.length]);
    }
    return svg.append("</svg>\n").toString();
  }

  private double[] values(ToDoubleFunction<Series.Point> value) {
    return series.stream().flatMap(each -> each.points().stream()).mapToDouble(value).toArray();
  }

  private static void grid(StringBuilder svg, Axis x, Axis y) {
    for (double mark : y.marks()) {
      double at = y.place(mark);
      add(svg, "<path d=\"M%d %.1fH%d\" stroke=\"#ddd\"/>", LEFT, at, WIDTH - RIGHT);
      text(svg, LEFT - 8, at + 4, "end", Axis.text(mark));
    }
    for (double mark : x.marks()) {
      double at = x.place(mark);
      add(svg, "<path d=\"M%.1f %dV%d\" stroke=\"#ddd\"/>", at, TOP, HEIGHT - BOTTOM);
      text(svg, at, HEIGHT - BOTTOM + LINE_HEIGHT, "middle", Axis.text(mark));
    }
    add(
        svg,
        "<path d=\"M%d %dV%dH%d\" stroke=\"black\" fill=\"none\"/>",
        LEFT,
        TOP,
        HEIGHT - BOTTOM,
        WIDTH - RIGHT);
  }

  private static void line(StringBuilder svg, Axis x, Axis y, Series line, String colour) {
    StringBuilder path = new StringBuilder();
    for (Series.Point point : line.points()) {
      path.append(path.isEmpty() ? "M" : "L");
      add(path, "%.1f %.1f", x.place(point.x()), y.place(point.y()));
      if (!line.dashed()) {
        add(
            svg,
            "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>",
            x.place(point.x()),
            y.place(point.y()),
            colour);
      }
    }
    add(
        svg,
        "<path d=\"%s\" stroke=\"%s\" stroke-width=\"1.5\" fill=\"none\"%s/>",
        path.toString().replace("\n", ""),
        colour,
        dashes(line));
  }

  private static String dashes(Series line) {
    return line.dashed() ? " stroke-dasharray=\"5 4\"" : "";
  }

  private static void legend(StringBuilder svg, int index, Series line, String colour) {
    int y = TOP + LINE_HEIGHT * index + LINE_HEIGHT / 2;
    add(
        svg,
        "<path d=\"M%d %dh24\" stroke=\"%s\" stroke-width=\"1.5\"%s/>",
        WIDTH - RIGHT + 14,
        y,
        colour,
        dashes(line));
    text(svg, WIDTH - RIGHT + 44, y + 4.0, "start", line.name());
  }

  private static void text(StringBuilder svg, double x, double y, String anchor, String text) {
    add(
        svg,
        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>",
        x,
        y,
        anchor,
        escaped(text));
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  private static void add(StringBuilder svg, String format, Object... values) {
    svg.append(String.format(Locale.ROOT, format, values)).append('\n');
  }
}
