package org.weft.cli.volume;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.weft.cli.files.FilesOperation;
import org.weft.cli.files.FilesSession;
import org.weft.cli.files.RemoteFiles;
import org.weft.cli.output.ByteText;
import org.weft.cli.output.ExitCode;
import org.weft.cli.output.Failures;
import org.weft.cli.output.Json;
import org.weft.cli.output.JsonFields;
import org.weft.cli.output.PrintableText;
import org.weft.client.WeftPath;
import org.weft.client.health.VolumeCheckStatus;
import org.weft.protocol.system.PolledWait;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Has the manager of a volume look for what contradicts itself, and tells what it finds. */
@Command(
    name = "check",
    description = {
      "Looks through a whole volume for what contradicts itself, while clients work: names without"
          + " objects, objects without names, counts of names, copies that differ, lengths,"
          + " components that are absent or left over; with --parity also parity that does not"
          + " belong to its data.",
      "The volume's manager does it, and leaves OSDs half of their time for clients. It goes on if"
          + " this command ends; the same command finds it again. It changes nothing: each finding"
          + " says what can be done.",
      "With --offline a volume is checked that no manager serves, by the data directory of the"
          + " manager that had it last: run it on that manager's machine while the manager is"
          + " stopped and OSDs and SysMgr run. It reads the directory, and changes nothing in it. A"
          + " result is void if a manager takes the volume up meanwhile.",
      "Exit code 0: nothing was found. 12: something was, and is printed. 9: nothing was found, but"
          + " not all could be looked at."
    },
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft volume check /             the root volume",
      "  weft volume check /archive --parity",
      "  weft volume check /archive --status",
      "  weft volume check /archive --cancel",
      "  weft volume check /archive --json",
      "  weft volume check /archive --offline --data /var/lib/weft/manager --join-token-file join-token"
    })
@JsonFields(
    shape = "an object for each finding, and one at the end",
    value = {
      "kind: leftover-component, object-without-name, ...; of the last line: summary",
      "path: where it is; empty if nothing leads there",
      "objectId: its number",
      "osd: the OSD that it is about, 0 if it is about no single one",
      "what: a sentence on what is wrong",
      "nextStep: what can be done",
      "state: of the last line: running, done, cancelled or failed",
      "doing: of the last line: what it does, or why it ended",
      "objects: of the last line: objects that were looked at",
      "names: of the last line: names that were looked at",
      "stripes: of the last line: stripes whose parity was compared",
      "findings: of the last line: how much was found",
      "unchecked: of the last line: how much could not be looked at",
      "written: of the last line: files that were being written, truncated or resolved, which were not judged",
      "seconds: of the last line: how long it took"
    })
final class VolumeCheckCommand extends FilesOperation {
  private static final int FINDINGS_AT_ONCE = 500;
  private static final long LINES_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final int MAX_UNCHECKED_LINES = 20;

  /** Where the check runs. */
  interface Checks {
    VolumeCheckStatus start() throws IOException;

    VolumeCheckStatus status(long id, long after, int max) throws IOException;

    long nowNanos();
  }

  @Option(
      names = "--parity",
      description = "Compare parity with data as well; reads everything that is stored.")
  private boolean parity;

  @Option(
      names = "--status",
      description = "Only show how far the check under way, or the last one, is.")
  private boolean statusOnly;

  @Option(names = "--cancel", description = "End the check that is under way.")
  private boolean cancel;

  @Option(
      names = "--offline",
      description = "Check a volume that no manager serves; needs --data and --join-token-file.")
  private boolean offline;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description =
          "With --offline: the data directory of the stopped manager that had the volume last.")
  private Path data;

  @Option(
      names = {"--join-token-file", "--join-token"},
      paramLabel = "FILE",
      description = "With --offline: the file join-token of SysMgr's data directory, or a copy.")
  private Path joinToken;

  @Parameters(arity = "1", paramLabel = "VOLUME", description = "The volume, or a path in it.")
  private String argument;

  private ExitCode outcome = ExitCode.OK;

  @Override
  protected void check() {
    path(argument);
    if (statusOnly && cancel) {
      throw wrong("--status and --cancel: choose one of them");
    }
    if (parity && (statusOnly || cancel)) {
      throw wrong("--parity is for a check that begins; leave it away");
    }
    if (offline && (statusOnly || cancel)) {
      throw wrong("--offline checks here and now: it has no --status, and Ctrl-C ends it");
    }
    if (offline && (data == null || joinToken == null)) {
      throw wrong("--offline needs --data DIR, of the stopped manager, and --join-token-file FILE");
    }
    if (!offline && (data != null || joinToken != null)) {
      throw wrong("--data and --join-token-file are for --offline");
    }
  }

  @Override
  protected boolean isOnFiles() {
    return !offline;
  }

  @Override
  protected void runWithoutFiles(Failures failures) throws IOException {
    try (OfflineChecks checks =
        OfflineChecks.begin(cluster().endpoints(), data, joinToken, path(argument), parity)) {
      follow(checks, path(argument), failures);
    }
  }

  @Override
  protected ExitCode success() {
    return outcome;
  }

  @Override
  protected void run(FilesSession session, Failures failures) throws IOException {
    WeftPath volume = path(argument);
    RemoteFiles files = session.files();
    // A path that is not there would be answered by the volume above it.
    var unused = require(files, volume);
    if (cancel) {
      summary(files.cancelCheck(volume), volume, failures);
    } else if (statusOnly) {
      VolumeCheckStatus now = files.checkStatus(volume, 0, 0, 0);
      if (now.isKnown()) {
        rest(files, volume, now.id(), 0);
      }
      summary(now, volume, failures);
    } else {
      follow(
          new Checks() {
            @Override
            public VolumeCheckStatus start() throws IOException {
              return files.startCheck(volume, parity);
            }

            @Override
            public VolumeCheckStatus status(long id, long after, int max) throws IOException {
              return files.checkStatus(volume, id, after, max);
            }

            @Override
            public long nowNanos() {
              return session.ticker().nowNanos();
            }
          },
          volume,
          failures);
    }
  }

  private void follow(Checks checks, WeftPath volume, Failures failures) throws IOException {
    VolumeCheckStatus now = checks.start();
    long id = now.id();
    if (now.elapsedMillis() > 0 && now.objects() > 0) {
      failures.notice("a check was under way already; this follows it");
    }
    PolledWait wait = PolledWait.every(Duration.ofSeconds(1));
    long printed = 0;
    long saidNanos = checks.nowNanos();
    while (true) {
      now = checks.status(id, printed, FINDINGS_AT_ONCE);
      if (!now.isKnown()) {
        failures.notice(
            "the volume has another manager, or its manager has started again, and knows of no"
                + " check; it is started again from the beginning");
        id = checks.start().id();
        printed = 0;
        continue;
      }
      printed = print(now, printed);
      if (now.more()) {
        continue;
      }
      if (!now.isRunning()) {
        summary(now, volume, failures);
        return;
      }
      if (checks.nowNanos() - saidNanos >= LINES_NANOS) {
        saidNanos = checks.nowNanos();
        failures.notice(progress(now));
      }
      var unused = wait.pause();
    }
  }

  /** Prints all that is remembered. */
  private void rest(RemoteFiles files, WeftPath volume, long id, long from) throws IOException {
    long printed = from;
    VolumeCheckStatus now;
    do {
      now = files.checkStatus(volume, id, printed, FINDINGS_AT_ONCE);
      printed = print(now, printed);
    } while (now.isKnown() && now.more());
  }

  private long print(VolumeCheckStatus now, long printed) {
    long last = printed;
    for (VolumeCheckStatus.Finding finding : now.page()) {
      print(finding);
      last = finding.number();
    }
    console().text().flush();
    return last;
  }

  private void print(VolumeCheckStatus.Finding finding) {
    if (json()) {
      ObjectNode node = JsonNodeFactory.instance.objectNode();
      node.put("kind", finding.kind());
      node.put("path", finding.path());
      node.put("objectId", finding.objectId());
      node.put("osd", finding.osd());
      node.put("what", finding.what());
      node.put("nextStep", finding.nextStep());
      console().text().println(Json.line(node));
      return;
    }
    String where =
        finding.path().isEmpty() ? "(no path is known)" : PrintableText.of(finding.path());
    console()
        .text()
        .print(
            String.format(
                Locale.ROOT,
                "%s  object %d%s  %s%n    %s%n    next: %s%n",
                where,
                finding.objectId(),
                finding.osd() == 0 ? "" : "  osd-" + finding.osd(),
                finding.kind(),
                PrintableText.of(finding.what()),
                finding.nextStep()));
  }

  private static String progress(VolumeCheckStatus now) {
    double seconds = Math.max(0.001, now.elapsedMillis() / 1e3);
    double rate = now.objects() / seconds;
    StringBuilder text = new StringBuilder();
    text.append(ByteText.grouped(now.objects()))
        .append(" of ")
        .append(ByteText.grouped(now.expectedObjects()))
        .append(" objects, ")
        .append(ByteText.grouped(now.names()))
        .append(" names, ")
        .append(ByteText.grouped(Math.round(rate)))
        .append("/s");
    if (now.stripes() > 0) {
      text.append(", ").append(ByteText.grouped(now.stripes())).append(" stripes");
    }
    long left = now.expectedObjects() - now.objects();
    if (left > 0 && rate > 0) {
      text.append(", ETA ").append(ByteText.grouped((long) Math.ceil(left / rate))).append(" s");
    }
    return text.append(": ").append(now.doing()).append("; ").append(found(now)).toString();
  }

  private static String found(VolumeCheckStatus now) {
    return now.findings() == 0
        ? "nothing was found"
        : ByteText.grouped(now.findings())
            + (now.findings() == 1 ? " thing was found" : " things were found");
  }

  private void summary(VolumeCheckStatus now, WeftPath volume, Failures failures) {
    if (!now.isKnown()) {
      failures.add(
          "%s: its manager knows of no check; start one with weft volume check %s"
              .formatted(volume, volume));
      return;
    }
    if (json()) {
      report(
          node -> {
            node.put("kind", "summary");
            node.put("state", now.state().name().toLowerCase(Locale.ROOT));
            node.put("doing", now.doing());
            node.put("objects", now.objects());
            node.put("names", now.names());
            node.put("stripes", now.stripes());
            node.put("findings", now.findings());
            node.put("unchecked", now.uncheckedCount());
            node.put("written", now.written());
            node.put("seconds", now.elapsedMillis() / 1e3);
          });
    } else {
      console().text().print(text(now, volume));
    }
    if (now.state() == VolumeCheckStatus.State.FAILED) {
      failures.add("%s: the check has failed: %s".formatted(volume, now.doing()));
    } else if (now.findings() > 0) {
      outcome = ExitCode.UNHEALTHY;
    } else if (now.uncheckedCount() > 0) {
      outcome = ExitCode.UNAVAILABLE;
    }
  }

  private static String text(VolumeCheckStatus now, WeftPath volume) {
    StringBuilder text = new StringBuilder();
    now.unchecked().stream()
        .limit(MAX_UNCHECKED_LINES)
        .forEach(each -> text.append("not checked: ").append(PrintableText.of(each)).append('\n'));
    if (now.uncheckedCount() > Math.min(MAX_UNCHECKED_LINES, now.unchecked().size())) {
      text.append(
          String.format(Locale.ROOT, "not checked: %,d things in all%n", now.uncheckedCount()));
    }
    text.append(PrintableText.of(volume.toString()))
        .append(": ")
        .append(found(now))
        .append(
            String.format(
                Locale.ROOT, " in %,d objects and %,d names", now.objects(), now.names()));
    if (now.parity()) {
      text.append(String.format(Locale.ROOT, ", %,d stripes", now.stripes()));
    }
    if (now.written() > 0) {
      text.append(
          String.format(
              Locale.ROOT,
              "; %,d files were being written, truncated or resolved, and were not judged",
              now.written()));
    }
    return text.append(
            switch (now.state()) {
              case RUNNING -> String.format("; it goes on: %s%n", now.doing());
              case DONE -> String.format(Locale.ROOT, " (%.1f s)%n", now.elapsedMillis() / 1e3);
              case CANCELLED, FAILED -> String.format("; it ended early: %s%n", now.doing());
            })
        .toString();
  }
}
