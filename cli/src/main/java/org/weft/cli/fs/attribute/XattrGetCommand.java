package org.weft.cli.fs.attribute;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import org.weft.cli.files.FilesOperation;
import org.weft.cli.files.FilesSession;
import org.weft.cli.output.Failures;
import org.weft.cli.output.Json;
import org.weft.cli.output.JsonFields;
import org.weft.client.WeftPath;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows one extended attribute. */
@Command(
    name = "get",
    description = {
      "Prints the value of one extended attribute.",
      "What is no readable text comes as 0x and hexadecimal digits."
    },
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft fs xattr get /data/a.csv user.origin",
      "  weft fs xattr get --raw /data/a.csv user.icon > icon.png"
    })
@JsonFields(
    shape = "one object",
    value = {"path: absolute", "name: of the attribute", "value: text, or 0x and digits"})
final class XattrGetCommand extends FilesOperation {
  @Option(names = "--raw", description = "The bytes as they are, without an end of line.")
  private boolean raw;

  @Parameters(index = "0", paramLabel = "PATH", description = "The file.")
  private String argument;

  @Parameters(index = "1", paramLabel = "NAME", description = "With its name space: user.origin.")
  private String name;

  @Override
  protected void check() {
    path(argument);
    if (raw && json()) {
      throw wrong("--raw and --json: choose one of them");
    }
    XattrValue.checkName(name);
  }

  @Override
  protected void run(FilesSession session, Failures failures) throws IOException {
    WeftPath path = path(argument);
    byte[] value = session.files().xattrs(path).get(name);
    if (value == null) {
      throw new WeftException(
          ErrorCode.NOT_FOUND,
          path + ": has no attribute " + name + "; `weft fs xattr list` shows which there are");
    }
    if (raw) {
      console().bytes().write(value);
      console().bytes().flush();
    } else if (json()) {
      console()
          .text()
          .println(
              Json.line(
                  JsonNodeFactory.instance
                      .objectNode()
                      .put("path", path.toString())
                      .put("name", name)
                      .put("value", XattrValue.show(value))));
    } else {
      console().text().println(XattrValue.show(value));
    }
  }
}
