package org.weft.cli.layout;

import java.io.IOException;
import java.util.List;
import java.util.OptionalLong;
import org.weft.cli.config.ByteSize;
import org.weft.cli.files.FilesSession;
import org.weft.cli.files.PathsOperation;
import org.weft.cli.files.RemoteFiles;
import org.weft.cli.output.Failures;
import org.weft.cli.output.Json;
import org.weft.cli.output.JsonFields;
import org.weft.client.FileStatus;
import org.weft.client.WeftPath;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.StorageMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows on which OSDs files lie. */
@Command(
    name = "show",
    description = {
      "Shows on which OSDs files lie, and how they are divided into units.",
      "Each component is shown with the state of its OSD; of a directory, the layout of new files in it."
    },
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft layout show /data/big.bin",
      "  weft layout show /data/big.bin --at 100M   where that byte lies",
      "  weft layout show /data                     the layout of new files"
    })
@JsonFields(
    shape = "an object for each path",
    value = {
      "path: absolute",
      "size: bytes",
      "dataUnits: of a stripe",
      "parityUnits: of a stripe",
      "unitBytes: bytes of a unit",
      "groups: parity groups",
      "groupDepth: stripes in a group before the next one follows",
      "small: true if there is one unit only, in copies",
      "generation: of the map",
      "components: index, group, osd, state (up, suspect, down, quarantined, unknown), missing",
      "attributeOsds: OSDs that hold attributes only",
      "at: with --at: offset, stripe, group, stripeInGroup, unit, componentOffset, components,"
          + " parityComponents",
      "defaultLayout: of a directory instead of all that: dataUnits, parityUnits, unitBytes, groups,"
          + " groupDepth, 0 where the volume chooses; null: the volume's"
    })
final class LayoutShowCommand extends PathsOperation {
  @Option(
      names = "--at",
      paramLabel = "OFFSET",
      description = "Where this byte of the file lies; like 4096 or 100M.")
  private String at;

  @Parameters(arity = "1..*", paramLabel = "PATH", description = "Files and directories.")
  private List<String> arguments;

  private boolean begun;

  @Override
  protected void check() {
    checkPaths(arguments);
    if (at != null) {
      LayoutSetCommand.size(this::wrong, "--at", at);
    }
  }

  @Override
  protected void run(FilesSession session, Failures failures) throws IOException {
    forEach(session.files(), arguments, failures, path -> show(session.files(), path));
  }

  private void show(RemoteFiles files, WeftPath path) throws IOException {
    FileStatus status = require(files, path);
    OptionalLong offset = at == null ? OptionalLong.empty() : OptionalLong.of(offset(status));
    if (json()) {
      console()
          .text()
          .println(
              Json.line(
                  status.isDirectory()
                      ? LayoutJson.of(status)
                      : LayoutJson.of(files, status, map(status), offset)));
    } else {
      console()
          .text()
          .print(
              (begun && !status.isDirectory() ? "\n" : "")
                  + (status.isDirectory()
                      ? LayoutReport.of(status)
                      : LayoutReport.of(files, status, map(status), offset)));
    }
    begun = true;
  }

  private static StorageMap map(FileStatus status) {
    return status
        .map()
        .orElseThrow(
            () -> new IllegalArgumentException(status.path() + ": has no map: it is no file"));
  }

  private long offset(FileStatus status) throws IOException {
    if (status.isDirectory()) {
      throw new WeftException(
          ErrorCode.IS_DIRECTORY, status.path() + ": is a directory; --at is for files");
    }
    long offset = ByteSize.parse("--at", at);
    if (offset >= status.sizeBytes()) {
      throw new IllegalArgumentException(
          status.path()
              + ": byte "
              + offset
              + " lies behind the end; the file has "
              + status.sizeBytes()
              + " bytes");
    }
    return offset;
  }
}
