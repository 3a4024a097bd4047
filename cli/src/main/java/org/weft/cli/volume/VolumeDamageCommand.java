package org.weft.cli.volume;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.weft.cli.files.FilesSession;
import org.weft.cli.files.PathsOperation;
import org.weft.cli.files.RemoteFiles;
import org.weft.cli.output.Failures;
import org.weft.cli.output.Json;
import org.weft.cli.output.JsonFields;
import org.weft.cli.output.PrintableText;
import org.weft.client.WeftPath;
import org.weft.client.health.DamagedFiles;
import org.weft.protocol.layout.ByteRange;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Names files that have lost bytes, or contradict themselves. */
@Command(
    name = "damage",
    description = {
      "Names the files of a volume that have lost more than their parity units make up for, and the bytes that are gone.",
      "Those that lost OSDs took are found while what these held is rebuilt: `weft status` shows whether"
          + " that is over. Reading the bytes that are gone fails; the others can be read.",
      "Names the files, too, of which the scrub of parity found that parity and data contradict each other:"
          + " all of these can be read, and some bytes may not be what was written."
    },
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft volume damage /             of the root volume",
      "  weft volume damage /archive --json"
    })
@JsonFields(
    shape = "an object for each file",
    value = {
      "path: where it is; empty if that cannot be told",
      "objectId: its number",
      "size: bytes",
      "gone: ranges [from, to) of bytes that are gone; empty where redundancy alone is lost, or"
          + " it is not known which bytes are",
      "moreGone: true if there are more ranges than these, gone or in doubt",
      "inDoubt: ranges [from, to) of bytes in whose stripes parity and data contradict each other",
      "what: a sentence on what was lost, and what can be done"
    })
final class VolumeDamageCommand extends PathsOperation {
  private static final int MAX_LINES = 10;

  @Parameters(arity = "1..*", paramLabel = "PATH", description = "Volumes, or paths in them.")
  private List<String> arguments;

  @Override
  protected void check() {
    checkPaths(arguments);
  }

  @Override
  protected void run(FilesSession session, Failures failures) throws IOException {
    forEach(session.files(), arguments, failures, path -> list(session.files(), path));
  }

  private void list(RemoteFiles files, WeftPath path) throws IOException {
    // A path that is not there would be answered by the volume above it.
    var unused = require(files, path);
    long after = 0;
    long count = 0;
    DamagedFiles some;
    do {
      some = files.damage(path, after);
      for (DamagedFiles.One each : some.files()) {
        print(each);
        after = each.objectId();
        count++;
      }
    } while (some.more());
    if (!json()) {
      console()
          .text()
          .println(
              count == 0
                  ? PrintableText.of(path.toString())
                      + ": no file is known to have lost bytes, or to contradict itself"
                  : count
                      + (count == 1 ? " file has" : " files have")
                      + " lost bytes, or bytes in doubt");
    }
  }

  private void print(DamagedFiles.One file) {
    if (json()) {
      console().text().println(Json.line(json(file)));
      return;
    }
    StringBuilder text = new StringBuilder();
    text.append(file.path().isEmpty() ? "(no path is known)" : PrintableText.of(file.path()))
        .append(
            String.format(
                Locale.ROOT, "  object %d, %,d bytes%n", file.objectId(), file.sizeBytes()))
        .append("    ")
        .append(PrintableText.of(file.what()))
        .append('\n');
    if (!file.gone().isEmpty()) {
      text.append(
          String.format(
              Locale.ROOT,
              "    gone: %s%,d bytes in %d ranges%n",
              file.moreRanges() ? "at least " : "",
              file.goneBytes(),
              file.gone().size()));
    }
    lines(file.gone(), text);
    if (!file.inDoubt().isEmpty()) {
      text.append("    in doubt:\n");
    }
    lines(file.inDoubt(), text);
    console().text().print(text);
  }

  private static void lines(List<ByteRange> ranges, StringBuilder text) {
    ranges.stream()
        .limit(MAX_LINES)
        .forEach(
            range ->
                text.append(
                    String.format(Locale.ROOT, "      %,d up to %,d%n", range.from(), range.to())));
    if (ranges.size() > MAX_LINES) {
      text.append("      and more; --json names 1,000 of them\n");
    }
  }

  private static ObjectNode json(DamagedFiles.One file) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("path", file.path());
    node.put("objectId", file.objectId());
    node.put("size", file.sizeBytes());
    ArrayNode gone = node.putArray("gone");
    for (ByteRange range : file.gone()) {
      gone.addArray().add(range.from()).add(range.to());
    }
    node.put("moreGone", file.moreRanges());
    ArrayNode inDoubt = node.putArray("inDoubt");
    for (ByteRange range : file.inDoubt()) {
      inDoubt.addArray().add(range.from()).add(range.to());
    }
    node.put("what", file.what());
    return node;
  }
}
