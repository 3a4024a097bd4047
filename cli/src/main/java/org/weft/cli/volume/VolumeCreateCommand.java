package org.weft.cli.volume;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.weft.cli.cluster.AdminView;
import org.weft.cli.output.JsonFields;
import org.weft.protocol.wire.CreateVolumeRequest;
import org.weft.protocol.wire.VolumeOperation;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes a volume. */
@Command(
    name = "create",
    description = "Makes a volume, and waits until it can be used.",
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft volume create /archive                        survives the loss of one OSD, files of two",
      "  weft volume create /archive --parity-max 3         files in it may have up to 3 parity units",
      "  weft volume create /logs --data 4 --parity 2       and have 4 + 2 where nothing else is said",
      "",
      "The directory above must exist and the name be free. Only the superuser and members of",
      "supergroup may. What is begun is finished by itself, or undone, whatever process stops meanwhile."
    })
@JsonFields(
    shape = "one object",
    value = {"created: its path", "volumeId: its number"})
final class VolumeCreateCommand extends VolumeAction {
  private static final int MAX_PARITY = 3;

  @Parameters(paramLabel = "PATH", description = "Where it is to stand.")
  private String argument;

  @Option(
      names = "--parity-max",
      paramLabel = "M",
      description = "Most parity units of any file in it, 0 to 3, fixed for good (default: 2).")
  private Integer maxParity;

  @Option(
      names = "--data",
      paramLabel = "K",
      description = "Data units of new files (default: by the number of OSDs).")
  private Integer dataUnits;

  @Option(
      names = "--parity",
      paramLabel = "M",
      description = "Parity units of new files (default: 1, or --parity-max if that is less).")
  private Integer parityUnits;

  @Option(
      names = {"--bladeset", "--blade-set"},
      paramLabel = "NAME",
      description = "The BladeSet whose OSDs it lies on (default: default).")
  private String bladeSet;

  @Override
  protected void check() {
    path(argument);
    if (maxParity != null && (maxParity < 0 || maxParity > MAX_PARITY)) {
      throw wrong("--parity-max: expected 0 to " + MAX_PARITY + ", got " + maxParity);
    }
    if (dataUnits != null && dataUnits < 1) {
      throw wrong("--data: expected at least 1, got " + dataUnits);
    }
    if (parityUnits != null && parityUnits < 0) {
      throw wrong("--parity: expected 0 or more, got " + parityUnits);
    }
  }

  @Override
  protected void run(AdminView admin) {
    String path = path(argument);
    CreateVolumeRequest.Builder wanted =
        CreateVolumeRequest.newBuilder()
            .setUser(cluster().userName())
            .addAllGroups(cluster().groups())
            .setPath(path);
    if (maxParity != null) {
      wanted.setMaxParity(maxParity);
    }
    if (dataUnits != null) {
      wanted.setDefaultDataUnits(dataUnits);
    }
    if (parityUnits != null) {
      wanted.setDefaultParityUnits(parityUnits);
    }
    if (bladeSet != null) {
      wanted.setBladeSet(bladeSet);
    }
    VolumeOperation made = admin.volumes().create(wanted.build()).join();
    say(
        JsonNodeFactory.instance
            .objectNode()
            .put("created", path)
            .put("volumeId", made.getVolumeId()),
        "Volume " + path + " is there.");
  }
}
