package org.weft.cli.fs.attribute;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import org.weft.cli.files.FilesSession;
import org.weft.cli.files.PathsOperation;
import org.weft.cli.output.Failures;
import org.weft.cli.output.Json;
import org.weft.cli.output.JsonFields;
import org.weft.cli.output.PrintableText;
import org.weft.client.AclStatus;
import org.weft.protocol.acl.AclEntry;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Shows access control lists. */
@Command(
    name = "getfacl",
    description = {
      "Shows the access control lists of files and directories.",
      "Named users and all groups have no more than the mask, which the mode shows as the group's bits."
    },
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {"  weft fs getfacl /data", "  weft fs getfacl --json '/data/*.csv'"})
@JsonFields(
    shape = "an object for each path",
    value = {
      "path: absolute",
      "owner: user it belongs to",
      "group: group it belongs to",
      "mode: octal",
      "entries: such as user:bob:r-x or default:group::r-x, in the order of a list"
    })
public final class GetFaclCommand extends PathsOperation {
  @Parameters(arity = "1..*", paramLabel = "PATH", description = "Files and directories.")
  private List<String> arguments;

  @Override
  protected void check() {
    checkPaths(arguments);
  }

  @Override
  protected void run(FilesSession session, Failures failures) throws IOException {
    forEach(session.files(), arguments, failures, path -> show(session.files().acl(path)));
  }

  private void show(AclStatus acl) {
    PrintWriter out = console().text();
    if (json()) {
      ObjectNode node =
          JsonNodeFactory.instance
              .objectNode()
              .put("path", acl.path().toString())
              .put("owner", acl.owner())
              .put("group", acl.group())
              .put("mode", "%04o".formatted(acl.mode()));
      ArrayNode entries = node.putArray("entries");
      acl.entries().forEach(entry -> entries.add(entry.toString()));
      out.println(Json.line(node));
      return;
    }
    out.println("# file: " + PrintableText.of(acl.path().toString()));
    out.println("# owner: " + PrintableText.of(acl.owner()));
    out.println("# group: " + PrintableText.of(acl.group()));
    for (AclEntry entry : acl.entries()) {
      out.println(PrintableText.of(entry.toString()));
    }
    out.println();
  }
}
