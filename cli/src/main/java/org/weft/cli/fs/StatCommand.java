package org.weft.cli.fs;

import java.io.IOException;
import java.io.PrintWriter;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.weft.cli.output.ByteText;
import org.weft.cli.output.Failures;
import org.weft.cli.output.Json;
import org.weft.cli.output.ModeText;
import org.weft.client.FileStatus;
import org.weft.client.WeftPath;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Shows all that is known of a file. */
@Command(
    name = "stat",
    description =
        "Shows all that is known of files and directories, and on which OSDs a file lies.",
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {"  weft fs stat /tmp/report.pdf", "  weft fs stat --json /tmp"})
final class StatCommand extends FsOperation {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSS xx", Locale.ROOT);

  @Parameters(arity = "1..*", paramLabel = "PATH", description = "What to show.")
  private List<String> arguments;

  @Override
  void check() {
    arguments.forEach(this::path);
  }

  @Override
  void run(FsConnector.Session session, Failures failures) throws IOException {
    PrintWriter out = console().text();
    boolean first = true;
    for (String argument : arguments) {
      WeftPath path = path(argument);
      try {
        FileStatus status =
            session
                .files()
                .find(path)
                .orElseThrow(
                    () ->
                        new RpcException(
                            ErrorCode.NOT_FOUND, path + ": no such file or directory"));
        if (json()) {
          out.println(Json.line(StatusJson.full(status)));
        } else {
          out.print((first ? "" : "\n") + text(status, ZoneId.systemDefault()));
        }
        first = false;
      } catch (IOException e) {
        failures.add(e);
      }
    }
  }

  static String text(FileStatus status, ZoneId zone) {
    StringBuilder text = new StringBuilder();
    line(text, "Path", LsFormat.printable(status.path().toString()));
    line(text, "Type", status.type().name().toLowerCase(Locale.ROOT));
    if (status.isDirectory()) {
      line(text, "Entries", ByteText.grouped(status.entries()));
    } else {
      line(text, "Size", size(status.sizeBytes()));
    }
    line(
        text,
        "Mode",
        ModeText.octal(status.mode()) + " (" + ModeText.of(status.type(), status.mode()) + ")");
    line(text, "Owner", status.owner() + ":" + status.group());
    line(text, "Modified", TIME.format(Instant.ofEpochMilli(status.mtimeMillis()).atZone(zone)));
    line(text, "Changed", TIME.format(Instant.ofEpochMilli(status.ctimeMillis()).atZone(zone)));
    line(text, "Object", Long.toUnsignedString(status.objectId()));
    status.map().ifPresent(map -> map(text, map, status.sizeBytes()));
    return text.toString();
  }

  private static String size(long bytes) {
    String exact = ByteText.grouped(bytes) + " bytes";
    return bytes < 1024 ? exact : exact + " (" + ByteText.of(bytes) + ")";
  }

  private static void map(StringBuilder text, StorageMap map, long sizeBytes) {
    Layout layout = map.layout();
    String groups = layout.groups() > 1 ? ", " + layout.groups() + " groups" : "";
    line(
        text,
        "Layout",
        layout.dataUnits()
            + " data + "
            + layout.parityUnits()
            + " parity units of "
            + ByteText.of(layout.unitBytes())
            + groups
            + (layout.isSmall(sizeBytes)
                ? "; small: " + (layout.parityUnits() + 1) + " copies of its one unit"
                : ""));
    line(
        text,
        "OSDs",
        map.components().stream().map(Object::toString).collect(Collectors.joining(" "))
            + " (map generation "
            + map.generation()
            + ")");
    if (!map.missing().isEmpty()) {
      line(
          text,
          "Missing",
          map.missing().stream()
              .map(index -> "component " + index + " on OSD " + map.osdOf(index))
              .collect(Collectors.joining(", ")));
    }
  }

  private static void line(StringBuilder text, String name, String value) {
    text.append(String.format("%9s: %s%n", name, value));
  }
}
