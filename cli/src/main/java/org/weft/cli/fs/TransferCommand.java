package org.weft.cli.fs;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import java.util.Locale;
import org.weft.cli.output.ByteText;
import org.weft.cli.output.Failures;
import org.weft.cli.output.Json;
import org.weft.cli.output.Progress;
import org.weft.protocol.seam.Ticker;
import picocli.CommandLine.Option;

/**
 * What put, get and rm have in common: several files at a time, and a line that shows how far it
 * is.
 */
abstract class TransferCommand extends FsOperation {
  static final int DEFAULT_THREADS = 8;
  private static final int MOST_THREADS = 64;

  @Option(
      names = "--progress",
      description = "Show progress on standard error where that is no terminal, too.")
  private boolean progressAsked;

  @Option(names = "--no-progress", description = "Show no progress.")
  private boolean progressUnwanted;

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "" + DEFAULT_THREADS,
      description = "Files under way at a time (default: ${DEFAULT-VALUE}).")
  private int threads;

  @Override
  void check() {
    if (threads < 1 || threads > MOST_THREADS) {
      throw wrong("--threads: expected 1 to " + MOST_THREADS + ", got " + threads);
    }
  }

  int threads() {
    return threads;
  }

  Progress progress(Ticker ticker, Failures failures, String label) {
    Progress.Style style =
        progressUnwanted ? Progress.Style.HIDDEN : Progress.styleFor(console(), progressAsked);
    Progress progress = new Progress(console().err(), style, console().columns(), ticker, label);
    failures.through(progress);
    return progress;
  }

  /** The last words of a transfer: to people, or as JSON. */
  void summarize(Progress progress, Failures failures, String label) throws IOException {
    failures.through(null);
    double seconds = Math.max(0.001, progress.seconds());
    progress.finish(
        String.format(
            Locale.ROOT,
            "%s: %s, %s in %.1f s, %s/s",
            label,
            progress.items() == 1 ? "1 file" : ByteText.grouped(progress.items()) + " files",
            ByteText.of(progress.bytes()),
            seconds,
            ByteText.of((long) (progress.bytes() / seconds))));
    if (json()) {
      console()
          .text()
          .println(
              Json.line(
                  JsonNodeFactory.instance
                      .objectNode()
                      .put("files", progress.items())
                      .put("bytes", progress.bytes())
                      .put("seconds", Math.round(seconds * 1_000) / 1_000.0)
                      .put("failed", failures.any())));
    }
  }
}
