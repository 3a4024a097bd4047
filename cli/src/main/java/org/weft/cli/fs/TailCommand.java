package org.weft.cli.fs;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.weft.cli.files.FilesSession;
import org.weft.cli.files.PathsOperation;
import org.weft.cli.output.Failures;
import org.weft.cli.output.PrintableText;
import org.weft.protocol.system.PolledWait;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows the ends of files, and what is added to them. */
@Command(
    name = "tail",
    description = {
      "Writes the end of files to standard output.",
      "The last 10 lines, or as asked. With -f it goes on with what is appended and published,"
          + " until it is interrupted; a file that is truncated or replaced meanwhile is shown from its"
          + " beginning."
    },
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft fs tail /logs/today.log             the last 10 lines",
      "  weft fs tail -n 100 -f /logs/today.log   the last 100, and what comes",
      "  weft fs tail -c 1k /tmp/a.bin            the last 1024 bytes",
      "  weft fs tail -n +2 /data/a.csv           all but the first line"
    })
final class TailCommand extends PathsOperation {
  private static final double MILLIS_PER_SECOND = 1_000;

  /** Waits between two looks; false ends the command. */
  @FunctionalInterface
  interface Pause {
    boolean next() throws IOException;
  }

  @Option(
      names = {"-n", "--lines"},
      paramLabel = "[+]N",
      description = "The last N lines (default: 10); +N: from line N on.")
  private String lines;

  @Option(
      names = {"-c", "--bytes"},
      paramLabel = "[+]N",
      description = "The last N bytes, like 100 or 1k; +N: from byte N on.")
  private String bytes;

  @Option(
      names = {"-f", "-F", "--follow"},
      description = "Go on with what is appended.")
  private boolean follow;

  @Option(
      names = {"-s", "--interval"},
      paramLabel = "SECONDS",
      description = "With -f: look so often (default: 1).")
  private double intervalSeconds = 1;

  @Option(
      names = "-q",
      description = "No lines with the paths, where there are several; --quiet does it too.")
  private boolean quiet;

  @Parameters(arity = "1..*", paramLabel = "PATH", description = "Files to show.")
  private List<String> arguments;

  private final Pause pause;
  private TailStart start;
  private String shown = "";

  TailCommand() {
    this.pause = this::sleep;
  }

  /** With another clock, for tests. */
  TailCommand(Pause pause) {
    this.pause = pause;
  }

  private boolean sleep() throws IOException {
    return PolledWait.every(Duration.ofMillis(Math.round(intervalSeconds * MILLIS_PER_SECOND)))
        .pause();
  }

  @Override
  protected void check() {
    checkPaths(arguments);
    if (json()) {
      throw wrong("--json: a file's bytes have no JSON; `weft fs stat --json` describes it");
    }
    if (lines != null && bytes != null) {
      throw wrong("-n and -c: choose one of them");
    }
    if (!(intervalSeconds >= 0.01 && intervalSeconds <= 3_600)) {
      throw wrong("--interval: expected 0.01 to 3600 seconds, got " + intervalSeconds);
    }
    start =
        bytes != null
            ? TailStart.parse("--bytes", false, bytes)
            : TailStart.parse("--lines", true, lines == null ? "10" : lines);
  }

  @Override
  protected void run(FilesSession session, Failures failures) throws IOException {
    List<Following> files = new ArrayList<>();
    OutputStream out = console().bytes();
    forEach(
        session.files(),
        arguments,
        failures,
        path -> files.add(new Following(session.files(), path, out, console().err())));
    try {
      show(files);
    } finally {
      files.forEach(Following::close);
    }
  }

  private void show(List<Following> files) throws IOException {
    boolean headers = !quiet && !cluster().isQuiet() && files.size() > 1;
    for (Following file : files) {
      header(file, headers);
      file.begin(start);
    }
    while (follow && !files.isEmpty() && pause.next()) {
      for (Following file : files) {
        if (file.look()) {
          header(file, headers);
          file.show();
        }
      }
    }
  }

  private void header(Following file, boolean wanted) throws IOException {
    String name = file.path().toString();
    if (wanted && !name.equals(shown)) {
      String line = (shown.isEmpty() ? "" : "\n") + "==> " + PrintableText.of(name) + " <==\n";
      console().bytes().write(line.getBytes(StandardCharsets.UTF_8));
      shown = name;
    }
  }
}
