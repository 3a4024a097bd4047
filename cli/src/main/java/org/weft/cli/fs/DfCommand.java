package org.weft.cli.fs;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import java.io.PrintWriter;
import org.weft.cli.files.FilesOperation;
import org.weft.cli.files.FilesSession;
import org.weft.cli.output.ByteText;
import org.weft.cli.output.Failures;
import org.weft.cli.output.Json;
import org.weft.cli.output.JsonFields;
import org.weft.cli.output.PrintableText;
import org.weft.client.SpaceStatus;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows the space of a cluster. */
@Command(
    name = "df",
    description = {
      "Shows the cluster's space: raw bytes of all OSDs, parity included.",
      "With a path whose bytes a quota limits: the limit, and what is used of it, in bytes of files."
    },
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft fs df              sizes for people",
      "  weft fs df --bytes      exact numbers",
      "  weft fs df /projects/a  what its quotas leave"
    })
@JsonFields(
    shape = "one object",
    value = {
      "cluster: where it was asked",
      "capacityBytes: of all OSDs; with a quota: its limit",
      "usedBytes: parity included; with a quota: what is used or promised of it",
      "freeBytes: what is left",
      "files: files, directories and links"
    })
final class DfCommand extends FilesOperation {
  @Option(names = "--bytes", description = "Exact numbers of bytes.")
  private boolean exact;

  @Parameters(arity = "0..1", paramLabel = "PATH", description = "A file or directory.")
  private String path;

  @Override
  protected void check() {
    if (path != null) {
      path(path);
    }
  }

  @Override
  protected void run(FilesSession session, Failures failures) throws IOException {
    SpaceStatus space = path == null ? session.files().space() : session.files().space(path(path));
    PrintWriter out = console().text();
    if (json()) {
      out.println(
          Json.line(
              JsonNodeFactory.instance
                  .objectNode()
                  .put("cluster", cluster().describe())
                  .put("capacityBytes", space.capacityBytes())
                  .put("usedBytes", space.usedBytes())
                  .put("freeBytes", space.freeBytes())
                  .put("files", space.files())));
      return;
    }
    out.print(table(PrintableText.of(cluster().describe()), space, exact));
  }

  static String table(String name, SpaceStatus space, boolean exact) {
    int width = Math.max("Cluster".length(), name.length());
    String row = "%-" + width + "s  %14s  %14s  %14s  %4s  %12s%n";
    return String.format(row, "Cluster", "Size", "Used", "Free", "Use%", "Files")
        + String.format(
            row,
            name,
            size(space.capacityBytes(), exact),
            size(space.usedBytes(), exact),
            size(space.freeBytes(), exact),
            percent(space),
            ByteText.grouped(space.files()));
  }

  private static String size(long bytes, boolean exact) {
    return exact ? Long.toString(bytes) : ByteText.of(bytes);
  }

  /** Rounded up, as df does: what is nearly full says so. */
  private static String percent(SpaceStatus space) {
    return space.capacityBytes() == 0
        ? "-"
        : (long) Math.ceil(100.0 * space.usedBytes() / space.capacityBytes()) + "%";
  }
}
