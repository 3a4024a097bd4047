package org.weft.cli.volume;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.InterruptedIOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import org.weft.cli.cluster.AdminView;
import org.weft.cli.cluster.NodeName;
import org.weft.cli.output.Json;
import org.weft.cli.output.JsonFields;
import org.weft.cli.output.PrintableText;
import org.weft.client.cluster.ClusterView;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.system.PolledWait;
import org.weft.protocol.wire.ClusterStatus;
import org.weft.protocol.wire.RecoverVolumeRequest;
import org.weft.protocol.wire.RecoveryProgress;
import org.weft.protocol.wire.VolumeHealth;
import org.weft.protocol.wire.VolumeRow;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Has a manager make the journal of a volume anew from what OSDs hold. */
@Command(
    name = "recover",
    description = {
      "Recovers a volume from its OSDs when every disk with its journal is lost: that of its manager and"
          + " that of its backup. A manager looks through all objects on the OSDs of the volume's"
          + " BladeSet, makes the journal anew and serves the volume again.",
      "What managers had not brought to OSDs yet is lost: a few seconds of creations, renames and"
          + " removals. Files without a name are in /lost+found afterwards.",
      "The command waits until the volume is served. If it is interrupted, or managers or SysMgr die"
          + " meanwhile, the recovery goes on by itself, from its beginning where the manager died;"
          + " the same command follows it again."
    },
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft volume recover /                  the root volume",
      "  weft volume recover /archive --manager manager-3",
      "  weft volume recover / --force \"the journal of manager-1 is damaged\"",
      "",
      "All OSDs of the BladeSet have to be up, or removed (weft osd remove). Only the superuser and",
      "members of supergroup may."
    })
@JsonFields(
    shape = "one object, when the volume is served",
    value = {
      "recovered: its path",
      "managerId: the manager that serves it",
      "epoch: in which it is served",
      "step: done; what follows is absent if that manager has started again since",
      "files: files, directories and links that were found",
      "directories: how many of them are directories",
      "expected: objects that OSDs have",
      "names: names that were looked at",
      "found: nodes that are in /lost+found now",
      "dropped: names that led to nothing, or were of before a rename, and are gone",
      "removed: files that were unlinked while they were open, and are gone",
      "resolving: files whose last writes are put in order after that",
      "staleCopies: copies of metadata that are written anew",
      "headless: objects of which no OSD has attributes; they stay where they are",
      "remade: directories of which no OSD had all blocks, and that began anew",
      "returned: nodes that got their names back in those, as their attributes tell them",
      "unreadable: copies of objects that their OSD cannot read; what others have counts",
      "seconds: how long it took",
      "filesPerSecond: files in each of them",
      "notes: an array of sentences on what could not be recovered as it was"
    })
final class VolumeRecoverCommand extends VolumeAction {
  private static final Duration POLL = Duration.ofMillis(300);

  /** Answers of SysMgr that stay away one after another; each is waited for by itself. */
  private static final int MAX_SILENT = 200;

  /** A line comes every two seconds or so. */
  private static final int PAUSES_OF_LINE = 7;

  @Parameters(arity = "1", paramLabel = "VOLUME", description = "Where it stands.")
  private String argument;

  @Option(
      names = "--manager",
      paramLabel = "MANAGER",
      description = "Which manager does it, like manager-2 or 2; else one that is up.")
  private String manager;

  @Option(
      names = "--force",
      paramLabel = "REASON",
      description =
          "Also while a manager is heard that may have the journal: what is in it alone is lost. The"
              + " reason stands in the events.")
  private String force;

  @Override
  protected void check() {
    path(argument);
    if (manager != null) {
      managerId();
    }
    if (force != null && force.isBlank()) {
      throw wrong("--force needs a reason, such as \"the journal of manager-1 is damaged\"");
    }
  }

  private int managerId() {
    return number(NodeName.MANAGER, manager);
  }

  @Override
  protected void run(AdminView admin) {
    String path = path(argument);
    RecoverVolumeRequest wanted =
        RecoverVolumeRequest.newBuilder()
            .setUser(cluster().userName())
            .addAllGroups(cluster().groups())
            .setPath(path)
            .setManagerId(manager == null ? 0 : managerId())
            .setForce(force == null ? "" : force)
            .build();
    var unused = admin.placement().recover(wanted).join();
    follow(admin.view(), path);
  }

  private void follow(ClusterView view, String path) {
    String said = "";
    int pauses = PAUSES_OF_LINE;
    int silent = 0;
    while (true) {
      ClusterStatus status;
      try {
        status = view.status().join();
        silent = 0;
      } catch (CompletionException e) {
        if (!WeftException.of(e).code().mayPass() || ++silent > MAX_SILENT) {
          throw e;
        }
        pause();
        continue;
      }
      VolumeRow row = row(status, path);
      Optional<VolumeHealth> health = health(status, row);
      if (!row.hasRecovery()
          && health.filter(each -> each.getState().equals("serving")).isPresent()) {
        finished(row, health.get());
        return;
      }
      String line =
          "weft: volume recover: "
              + path
              + ": "
              + health
                  .map(VolumeRecoverCommand::line)
                  .orElse("waits for manager-" + row.getManagerId());
      if (!line.equals(said) && pauses >= PAUSES_OF_LINE) {
        said = line;
        pauses = 0;
        err().println(PrintableText.of(line));
        err().flush();
      }
      pause();
      pauses++;
    }
  }

  private static String line(VolumeHealth health) {
    boolean isAtWork = health.hasRecovery() && !health.getState().startsWith("waiting");
    return isAtWork ? RecoveryText.line(health.getRecovery()) : health.getState();
  }

  private static VolumeRow row(ClusterStatus status, String path) {
    return status.getTable().getVolumesList().stream()
        .filter(each -> each.getPath().equals(path))
        .findFirst()
        .orElseThrow(
            () ->
                new CompletionException(
                    new WeftException(ErrorCode.NOT_FOUND, path + ": the volume is gone")));
  }

  private static Optional<VolumeHealth> health(ClusterStatus status, VolumeRow row) {
    return status.getVolumesList().stream()
        .filter(each -> each.getVolumeId() == row.getVolumeId())
        .filter(each -> each.getEpoch() == row.getEpoch())
        .findFirst();
  }

  private static void pause() {
    try {
      var unused = PolledWait.every(POLL).pause();
    } catch (InterruptedIOException e) {
      throw new CompletionException(
          new WeftException(ErrorCode.CANCELLED, "interrupted; the recovery goes on by itself", e));
    }
  }

  private void finished(VolumeRow row, VolumeHealth health) {
    PrintWriter out = out();
    if (json()) {
      ObjectNode all =
          JsonNodeFactory.instance
              .objectNode()
              .put("recovered", row.getPath())
              .put("managerId", row.getManagerId())
              .put("epoch", row.getEpoch());
      out.println(
          Json.line(health.hasRecovery() ? RecoveryText.into(all, health.getRecovery()) : all));
      return;
    }
    out.println(
        "Volume "
            + row.getPath()
            + " is recovered, and served by manager-"
            + row.getManagerId()
            + ".");
    if (health.hasRecovery()) {
      summary(health.getRecovery(), out);
    }
  }

  private static void summary(RecoveryProgress done, PrintWriter out) {
    out.printf(
        Locale.ROOT,
        "  %,d files, directories and links in %.1f s, %,d files/s%n",
        done.getNodes(),
        done.getElapsedMillis() / 1_000.0,
        RecoveryText.filesPerSecond(done));
    count(out, done.getFound(), "are in /lost+found: no name led to them");
    count(
        out, done.getDropped(), "names are gone: they led to nothing, or were of before a rename");
    count(out, done.getRemoved(), "files are gone: they had been removed while they were open");
    count(
        out, done.getResolving(), "files are put in order now: their writers had not closed them");
    count(out, done.getStaleCopies(), "copies of metadata were out of date and are written anew");
    count(
        out, done.getHeadless(), "objects have no attributes on any OSD: they stay where they are");
    count(out, done.getRemade(), "directories began anew: no OSD had all that was in them");
    count(out, done.getReturned(), "files and directories got their names back in those");
    count(out, done.getUnreadable(), "copies of objects cannot be read by their OSDs");
    done.getNotesList().forEach(note -> out.println("  " + PrintableText.of(note)));
  }

  private static void count(PrintWriter out, long count, String what) {
    if (count > 0) {
      out.printf(Locale.ROOT, "  %,d %s%n", count, what);
    }
  }
}
