package org.weft.cli.transfer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import org.weft.cli.files.FilesSession;
import org.weft.cli.files.PathsOperation;
import org.weft.cli.files.WorkOptions;
import org.weft.cli.files.WorkPool;
import org.weft.cli.output.ByteText;
import org.weft.cli.output.Failures;
import org.weft.cli.output.Json;
import org.weft.cli.output.Progress;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What put and get have in common: several files at a time, and a line that says how far it is. */
abstract class TransferCommand extends PathsOperation {
  @Option(
      names = {"-n", "--no-clobber"},
      description = "Fail where a file stands at the target already.")
  private boolean noClobber;

  @Option(
      names = {"-u", "--update"},
      description =
          "Pass over files that are there with the same size and are not older: goes on where an"
              + " interrupted copy ended.")
  private boolean update;

  @Option(
      names = {"-p", "--preserve"},
      description = "Take modes and times along exactly, of directories too.")
  private boolean preserve;

  @Mixin private WorkOptions work;

  /** The work with a transfer that is ready. */
  interface Body {
    void run(Transfer transfer) throws IOException;
  }

  @Override
  protected void check() {
    work.check();
    if (noClobber && update) {
      throw wrong("-n and -u: choose one of them");
    }
  }

  final CopyOptions options(boolean sparse) {
    return new CopyOptions(noClobber, update, preserve, sparse);
  }

  /**
   * Sets up the work, lets the body give it out, waits for it, and says what was done.
   *
   * @param count goes over what there is to copy, where a user will see how far it is
   */
  final void transfer(
      FilesSession session,
      Failures failures,
      String label,
      CopyOptions options,
      LookAhead.Count count,
      Body body)
      throws IOException {
    AtomicLong skipped = new AtomicLong();
    try (Progress progress = work.progress(session, console(), failures, label);
        Cleanup cleanup = new Cleanup();
        LookAhead ahead = new LookAhead(session.scheduler(), progress);
        WorkPool pool = work.pool(session, failures)) {
      if (work.visible(console())) {
        ahead.start(count);
      }
      body.run(new Transfer(session.files(), options, pool, progress, cleanup, failures, skipped));
      pool.await();
      summarize(progress, failures, label, skipped.get());
    }
  }

  /** Prints the last message of a transfer: for people, or as JSON. */
  private void summarize(Progress progress, Failures failures, String label, long skipped) {
    failures.through(null);
    double seconds = Math.max(0.001, progress.seconds());
    String errors = failures.any() ? "; " + WorkOptions.count(failures.count(), "error") : "";
    String done = WorkOptions.count(progress.items(), "file");
    progress.finish(
        String.format(
            Locale.ROOT,
            "%s: %s, %s in %.1f s, %s/s%s%s",
            label,
            done,
            ByteText.of(progress.bytes()),
            seconds,
            ByteText.of((long) (progress.bytes() / seconds)),
            skipped > 0 ? "; " + ByteText.grouped(skipped) + " there already" : "",
            errors));
    if (json()) {
      console().text().println(Json.line(summary(progress, failures, seconds, skipped)));
    } else if (failures.count() > 1 && !work.visible(console())) {
      console().err().println("weft: " + label + ": " + done + " copied" + errors);
    }
  }

  private static JsonNode summary(
      Progress progress, Failures failures, double seconds, long skipped) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("files", progress.items())
        .put("bytes", progress.bytes())
        .put("skipped", skipped)
        .put("seconds", Math.round(seconds * 1_000) / 1_000.0)
        .put("errors", failures.count())
        .put("failed", failures.any());
  }
}
