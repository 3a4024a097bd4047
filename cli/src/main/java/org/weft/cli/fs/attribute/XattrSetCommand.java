package org.weft.cli.fs.attribute;

import java.io.IOException;
import org.weft.cli.files.FilesOperation;
import org.weft.cli.files.FilesSession;
import org.weft.cli.output.Failures;
import org.weft.cli.output.JsonFields;
import org.weft.client.WeftPath;
import org.weft.client.XattrMode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Sets one extended attribute. */
@Command(
    name = "set",
    description = "Sets one extended attribute.",
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft fs xattr set /data/a.csv user.origin 'station 7'",
      "  weft fs xattr set --create /data/a.csv user.lock me   if there is none",
      "  weft fs xattr set /data/a.csv user.sum 0x1f8b08       bytes"
    })
@JsonFields(
    shape = "one object",
    value = {"path: absolute", "name: of the attribute", "value: text, or 0x and digits"})
final class XattrSetCommand extends FilesOperation {
  @Option(names = "--create", description = "Only if there is none of that name.")
  private boolean create;

  @Option(names = "--replace", description = "Only if there is one of that name.")
  private boolean replace;

  @Parameters(index = "0", paramLabel = "PATH", description = "The file.")
  private String argument;

  @Parameters(index = "1", paramLabel = "NAME", description = "With its name space: user.origin.")
  private String name;

  @Parameters(
      index = "2",
      paramLabel = "VALUE",
      description = "Text; bytes as 0x and hexadecimal digits, or 0s and Base64.")
  private String value;

  @Override
  protected void check() {
    path(argument);
    if (create && replace) {
      throw wrong("--create and --replace: choose one of them");
    }
    XattrValue.checkName(name);
    XattrValue.parse(value);
  }

  @Override
  protected void run(FilesSession session, Failures failures) throws IOException {
    WeftPath path = path(argument);
    byte[] bytes = XattrValue.parse(value);
    session.files().setXattr(path, name, bytes, mode());
    report(
        node ->
            node.put("path", path.toString())
                .put("name", name)
                .put("value", XattrValue.show(bytes)));
  }

  private XattrMode mode() {
    if (create) {
      return XattrMode.CREATE_ONLY;
    }
    return replace ? XattrMode.REPLACE_ONLY : XattrMode.CREATE_OR_REPLACE;
  }
}
