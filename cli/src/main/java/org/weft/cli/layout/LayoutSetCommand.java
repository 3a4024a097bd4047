package org.weft.cli.layout;

import java.io.IOException;
import java.util.Optional;
import java.util.function.Function;
import org.weft.cli.config.ByteSize;
import org.weft.cli.config.ConfigException;
import org.weft.cli.files.FilesOperation;
import org.weft.cli.files.FilesSession;
import org.weft.cli.output.Failures;
import org.weft.cli.output.Json;
import org.weft.cli.output.JsonFields;
import org.weft.client.FileStatus;
import org.weft.client.LayoutSpec;
import org.weft.protocol.layout.Layout;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** Says how new files of a directory are cut. */
@Command(
    name = "set",
    description = {
      "Sets the layout of new files of a directory.",
      "New directories below inherit it. Files that are there stay as they are. What is not said is"
          + " chosen by the volume."
    },
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft layout set /data --data 8 --parity 2 --unit 128k",
      "  weft layout set /small --unit 16k     the volume's code, small units",
      "  weft layout set /data --default       as the volume has it"
    })
@JsonFields(
    shape = "one object",
    value = {
      "path: absolute",
      "defaultLayout: dataUnits, parityUnits, unitBytes, groups, groupDepth, 0 where the volume"
          + " chooses; null: the volume's"
    })
final class LayoutSetCommand extends FilesOperation {
  @Option(names = "--data", paramLabel = "K", description = "Data units of a stripe, 1 to 255.")
  private Integer dataUnits;

  @Option(
      names = "--parity",
      paramLabel = "M",
      description = "Parity units of a stripe, 0 to 3: so many OSDs may be lost.")
  private Integer parityUnits;

  @Option(
      names = "--unit",
      paramLabel = "SIZE",
      description = "Bytes of a unit, a multiple of 4k up to 1m.")
  private String unit;

  @Option(
      names = "--depth",
      paramLabel = "N",
      description = "Stripes in a parity group before the next one follows.")
  private Integer groupDepth;

  @Option(names = "--groups", paramLabel = "N", description = "Parity groups of a file.")
  private Integer groups;

  @Option(names = "--default", description = "By the volume's default again.")
  private boolean standard;

  @Parameters(paramLabel = "DIR", description = "The directory.")
  private String argument;

  private Optional<LayoutSpec> wish = Optional.empty();

  @Override
  protected void check() {
    path(argument);
    boolean anything =
        dataUnits != null
            || parityUnits != null
            || unit != null
            || groupDepth != null
            || groups != null;
    if (standard == anything) {
      throw wrong("name the layout of new files, or --default");
    }
    if ((dataUnits == null) != (parityUnits == null)) {
      throw wrong("--data and --parity: say both, or neither");
    }
    if (!standard) {
      wish = Optional.of(wish());
    }
  }

  /** What is not said is 0; what is said must be possible. */
  private LayoutSpec wish() {
    long unitBytes = unit == null ? 0 : size(this::wrong, "--unit", unit);
    if (unitBytes > Layout.MAX_UNIT_BYTES) {
      throw wrong("--unit: at most 1m, got " + unit);
    }
    try {
      var unused =
          new Layout(
              dataUnits == null ? 1 : dataUnits,
              parityUnits == null ? 0 : parityUnits,
              unit == null ? Layout.DEFAULT_UNIT_BYTES : (int) unitBytes,
              groupDepth == null ? Layout.DEFAULT_GROUP_DEPTH : groupDepth,
              groups == null ? 1 : groups);
    } catch (IllegalArgumentException e) {
      throw wrong(e.getMessage());
    }
    return new LayoutSpec(
        orZero(dataUnits),
        orZero(parityUnits),
        (int) unitBytes,
        orZero(groupDepth),
        orZero(groups));
  }

  private static int orZero(Integer value) {
    return value == null ? 0 : value;
  }

  static long size(Function<String, ParameterException> wrong, String name, String text) {
    try {
      return ByteSize.parse(name, text);
    } catch (ConfigException e) {
      throw wrong.apply(e.getMessage());
    }
  }

  @Override
  protected void run(FilesSession session, Failures failures) throws IOException {
    FileStatus directory = session.files().setLayout(path(argument), wish);
    console()
        .text()
        .print(json() ? Json.line(LayoutJson.of(directory)) + "\n" : LayoutReport.of(directory));
  }
}
