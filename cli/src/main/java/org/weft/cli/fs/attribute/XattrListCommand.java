package org.weft.cli.fs.attribute;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.SortedMap;
import org.weft.cli.files.FilesSession;
import org.weft.cli.files.PathsOperation;
import org.weft.cli.output.Failures;
import org.weft.cli.output.Json;
import org.weft.cli.output.JsonFields;
import org.weft.cli.output.PrintableText;
import org.weft.client.WeftPath;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Shows all extended attributes. */
@Command(
    name = "list",
    description = "Shows all extended attributes of files, with their values.",
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {"  weft fs xattr list /data/a.csv", "  weft fs xattr list --json '/data/*.csv'"})
@JsonFields(
    shape = "an object for each path",
    value = {
      "path: absolute",
      "xattrs: names and values; what is no readable text as 0x and hexadecimal digits"
    })
final class XattrListCommand extends PathsOperation {
  @Parameters(arity = "1..*", paramLabel = "PATH", description = "Files and directories.")
  private List<String> arguments;

  @Override
  protected void check() {
    checkPaths(arguments);
  }

  @Override
  protected void run(FilesSession session, Failures failures) throws IOException {
    forEach(session.files(), arguments, failures, path -> show(path, session.files().xattrs(path)));
  }

  private void show(WeftPath path, SortedMap<String, byte[]> xattrs) {
    PrintWriter out = console().text();
    if (json()) {
      ObjectNode node = JsonNodeFactory.instance.objectNode().put("path", path.toString());
      ObjectNode values = node.putObject("xattrs");
      xattrs.forEach((name, value) -> values.put(name, XattrValue.show(value)));
      out.println(Json.line(node));
      return;
    }
    out.println(PrintableText.of(path.toString()) + (xattrs.isEmpty() ? ": none" : ":"));
    xattrs.forEach(
        (name, value) ->
            out.println("  " + PrintableText.of(name) + " = " + XattrValue.show(value)));
  }
}
