package org.weft.cli.fs;

import java.io.IOException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.weft.cli.files.FilesSession;
import org.weft.cli.files.PathsOperation;
import org.weft.cli.output.ByteText;
import org.weft.cli.output.Failures;
import org.weft.cli.output.Json;
import org.weft.cli.output.JsonFields;
import org.weft.cli.output.ModeText;
import org.weft.cli.output.PrintableText;
import org.weft.client.FileStatus;
import org.weft.client.WeftPath;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows all that is known of a file. */
@Command(
    name = "stat",
    description = {
      "Shows all that is known of files, and on which OSDs they lie.",
      "Of a symbolic link it shows the link."
    },
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft fs stat /tmp/report.pdf",
      "  weft fs stat --json '/tmp/*'",
      "  weft fs stat -L /tmp/link       where the link leads"
    })
@JsonFields(
    shape = "an object for each path",
    value = {
      "path: absolute",
      "type: file, directory or symlink",
      "size: bytes; 0 for a directory",
      "mode: four octal digits",
      "acl: true if entries stand beside the mode, or a default list",
      "owner: user",
      "group: group",
      "modified: last change of the contents, ISO 8601, UTC",
      "links: names that lead to it",
      "code: of a file: data+parity units, xG with G groups",
      "target: of a symbolic link: where it leads",
      "changed: last change of the attributes",
      "accessed: last access, where that is kept",
      "objectId: never used again for another file",
      "changeNumber: differs after each change",
      "entries: of a directory",
      "defaultLayout: of a directory with one of its own: dataUnits, parityUnits, unitBytes; 0: the"
          + " volume chooses",
      "map: of a file: dataUnits, parityUnits, unitBytes, groups, groupDepth, generation, osds,"
          + " missing"
    })
final class StatCommand extends PathsOperation {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSS xx", Locale.ROOT);

  @Option(
      names = {"-L", "--dereference"},
      description = "Show where a symbolic link leads instead of the link.")
  private boolean follow;

  @Parameters(arity = "1..*", paramLabel = "PATH", description = "What to show.")
  private List<String> arguments;

  private boolean begun;

  @Override
  protected void check() {
    checkPaths(arguments);
  }

  @Override
  protected void run(FilesSession session, Failures failures) throws IOException {
    forEach(session.files(), arguments, failures, path -> show(session, path));
  }

  private void show(FilesSession session, WeftPath path) throws IOException {
    FileStatus status =
        follow ? require(session.files(), path) : requireLink(session.files(), path);
    if (json()) {
      console().text().println(Json.line(FileStatusJson.full(status)));
    } else {
      console().text().print((begun ? "\n" : "") + text(status, ZoneId.systemDefault()));
    }
    begun = true;
  }

  static String text(FileStatus status, ZoneId zone) {
    StringBuilder text = new StringBuilder();
    line(text, "Path", PrintableText.of(status.path().toString()));
    line(text, "Type", status.type().name().toLowerCase(Locale.ROOT));
    status.symlinkTarget().ifPresent(to -> line(text, "Target", PrintableText.of(to)));
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
    line(text, "Links", ByteText.grouped(status.links()));
    line(text, "Modified", time(status.mtimeMillis(), zone));
    line(text, "Changed", time(status.ctimeMillis(), zone));
    line(text, "Object", Long.toUnsignedString(status.objectId()));
    status.defaultLayout().ifPresent(wish -> line(text, "Layout", wish + " for new files"));
    status.map().ifPresent(map -> map(text, map, status.sizeBytes()));
    return text.toString();
  }

  private static String time(long millis, ZoneId zone) {
    return TIME.format(Instant.ofEpochMilli(millis).atZone(zone));
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
