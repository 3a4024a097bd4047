package org.weft.cli.volume;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.weft.cli.cluster.AdminView;
import org.weft.cli.output.Json;
import org.weft.cli.output.JsonFields;
import org.weft.cli.output.ParityScrubText;
import org.weft.cli.output.PrintableText;
import org.weft.cli.output.WarmText;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.wire.ClusterStatus;
import org.weft.protocol.wire.OperationState;
import org.weft.protocol.wire.RecoveryProgress;
import org.weft.protocol.wire.VolumeHealth;
import org.weft.protocol.wire.VolumeOperation;
import org.weft.protocol.wire.VolumeRow;
import org.weft.protocol.wire.VolumeState;
import picocli.CommandLine.Command;

/** Lists the volumes. */
@Command(
    name = "list",
    description = "Lists the volumes, and creations and deletions that failed of late.",
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {"  weft volume list", "  weft volume list --json"})
@JsonFields(
    shape = "one object",
    value = {
      "volumes: an array, in the order of their numbers",
      "volumes.path: where it stands",
      "volumes.volumeId: its number",
      "volumes.state: creating, formatted, active, recovering, deleting or emptied",
      "volumes.maxParity: most parity units of any file in it",
      "volumes.dataUnits: of new files; 0: by the number of OSDs",
      "volumes.parityUnits: of new files",
      "volumes.bladeSet: the OSDs it lies on",
      "volumes.managerId: the manager that serves it",
      "volumes.files: files, directories and links; absent if its manager has not said",
      "volumes.backupWarm: what its backup has in memory, as it said last; absent if it has none or its"
          + " manager has not said",
      "volumes.backupWarm.state: warm, filling, cold; unknown if a manager of an older release does not say",
      "volumes.backupWarm.applied: the newest record that its live state holds, as EPOCH:INDEX",
      "volumes.backupWarm.recordsBehind: on its disk and not applied yet",
      "volumes.backupWarm.redoRecords: a promotion would lay so many over what the OSDs hold",
      "volumes.backupWarm.reason: why it is cold; empty if it is not",
      "volumes.recovery: how far its recovery from OSDs is: step, files, expected, names, filesPerSecond and"
          + " others as of `weft volume recover --json`; absent if it is not being recovered",
      "volumes.parityScrub: how far the scrub of parity is; absent if its manager has not said",
      "volumes.parityScrub.off: nothing is looked at (scrub.parity.rate)",
      "volumes.parityScrub.passes: full passes that have ended",
      "volumes.parityScrub.contradicted: files whose parity and data contradict each other; weft volume damage"
          + " names them",
      "volumes.parityScrub.begun: when the pass under way began; absent if none is, as are the next ones",
      "volumes.parityScrub.objects: files and directories that it has passed",
      "volumes.parityScrub.files: of these, files that were compared",
      "volumes.parityScrub.bytes: that were read, parity included",
      "volumes.parityScrub.left: files that could not be compared, or wait until they are at rest",
      "volumes.parityScrub.objectId: it goes on with this one",
      "volumes.parityScrub.lastBegun: when the last full pass began; absent before there is one, as are the next"
          + " ones",
      "volumes.parityScrub.lastEnded: when it ended",
      "volumes.parityScrub.lastFiles: how many files it compared",
      "volumes.parityScrub.lastLeft: how many it could not compare",
      "volumes.parityScrub.waits: what it waits for; empty: for nothing",
      "failed: an array of creations and deletions that came to nothing, the newest last",
      "failed.path: of which volume",
      "failed.deletion: else it was a creation",
      "failed.error: the kind of failure",
      "failed.message: what was wrong"
    })
final class VolumeListCommand extends VolumeAction {
  private static final String ROW = "%-28s %-10s %10s %8s %-10s %-12s %12s%n";

  @Override
  protected void run(AdminView admin) {
    ClusterStatus status = admin.view().status().join();
    if (json()) {
      out().println(Json.line(json(status)));
    } else {
      print(status, out());
    }
  }

  private static void print(ClusterStatus status, PrintWriter out) {
    out.printf(ROW, "Path", "State", "Parity max", "Default", "BladeSet", "Manager", "Files");
    for (VolumeRow row : status.getTable().getVolumesList()) {
      out.printf(
          ROW,
          PrintableText.of(row.getPath()),
          state(row),
          row.getMaxParity(),
          (row.getDefaultDataUnits() == 0 ? "k" : "" + row.getDefaultDataUnits())
              + "+"
              + row.getDefaultParityUnits(),
          PrintableText.of(row.getBladeSet()),
          "manager-" + row.getManagerId(),
          files(status, row));
    }
    for (VolumeRow row : status.getTable().getVolumesList()) {
      recovery(status, row)
          .ifPresent(
              now ->
                  out.println(
                      "Recovering "
                          + PrintableText.of(row.getPath())
                          + " from OSDs: "
                          + RecoveryText.line(now)));
    }
    for (VolumeRow row : status.getTable().getVolumesList()) {
      health(status, row)
          .filter(VolumeHealth::hasParityScrub)
          .ifPresent(
              health ->
                  out.println(
                      PrintableText.of(row.getPath())
                          + ": "
                          + ParityScrubText.line(health.getParityScrub(), health.getFiles())));
    }
    for (VolumeRow row : status.getTable().getVolumesList()) {
      health(status, row)
          .filter(health -> health.getBackupId() != 0)
          .ifPresent(
              health ->
                  out.println(
                      PrintableText.of(row.getPath())
                          + ": backup manager-"
                          + health.getBackupId()
                          + " "
                          + WarmText.of(health)));
    }
    List<VolumeOperation> failed = failed(status);
    if (!failed.isEmpty()) {
      out.println();
    }
    for (VolumeOperation operation : failed) {
      out.println(
          (operation.getDeletion() ? "Not deleted: " : "Not made: ")
              + PrintableText.of(operation.getPath())
              + ": "
              + PrintableText.of(operation.getMessage()));
    }
  }

  private static Optional<RecoveryProgress> recovery(ClusterStatus status, VolumeRow row) {
    return health(status, row)
        .filter(health -> row.hasRecovery() && health.hasRecovery())
        .map(VolumeHealth::getRecovery);
  }

  private static Optional<VolumeHealth> health(ClusterStatus status, VolumeRow row) {
    return status.getVolumesList().stream()
        .filter(health -> health.getVolumeId() == row.getVolumeId())
        .findFirst();
  }

  private static List<VolumeOperation> failed(ClusterStatus status) {
    return status.getOperationsList().stream()
        .filter(operation -> operation.getState() == OperationState.FAILED)
        .toList();
  }

  private static String files(ClusterStatus status, VolumeRow row) {
    return health(status, row)
        .map(health -> String.format(Locale.ROOT, "%,d", health.getFiles()))
        .orElse("-");
  }

  private static String state(VolumeRow row) {
    if (row.hasRecovery()) {
      return "recovering";
    }
    return row.getState() == VolumeState.VOLUME_STATE_UNSPECIFIED
        ? "active"
        : row.getState().name().toLowerCase(Locale.ROOT);
  }

  private static ObjectNode json(ClusterStatus status) {
    ObjectNode all = JsonNodeFactory.instance.objectNode();
    ArrayNode volumes = all.putArray("volumes");
    for (VolumeRow row : status.getTable().getVolumesList()) {
      ObjectNode volume =
          volumes
              .addObject()
              .put("path", row.getPath())
              .put("volumeId", row.getVolumeId())
              .put("state", state(row))
              .put("maxParity", row.getMaxParity())
              .put("dataUnits", row.getDefaultDataUnits())
              .put("parityUnits", row.getDefaultParityUnits())
              .put("bladeSet", row.getBladeSet())
              .put("managerId", row.getManagerId());
      recovery(status, row).ifPresent(now -> RecoveryText.into(volume.putObject("recovery"), now));
      health(status, row)
          .ifPresent(
              health -> {
                volume.put("files", health.getFiles());
                if (health.getBackupId() != 0) {
                  WarmText.into(volume.putObject("backupWarm"), health);
                }
                if (health.hasParityScrub()) {
                  ParityScrubText.into(volume.putObject("parityScrub"), health.getParityScrub());
                }
              });
    }
    ArrayNode failed = all.putArray("failed");
    for (VolumeOperation operation : failed(status)) {
      failed
          .addObject()
          .put("path", operation.getPath())
          .put("deletion", operation.getDeletion())
          .put("error", ErrorCode.of(operation.getError()).name().toLowerCase(Locale.ROOT))
          .put("message", operation.getMessage());
    }
    return all;
  }
}
