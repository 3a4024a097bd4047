package org.weft.cli.fs.attribute;

import java.io.IOException;
import org.weft.cli.files.FilesOperation;
import org.weft.cli.files.FilesSession;
import org.weft.cli.output.Failures;
import org.weft.cli.output.JsonFields;
import org.weft.client.WeftPath;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Removes one extended attribute. */
@Command(
    name = "remove",
    description = "Removes one extended attribute.",
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {"  weft fs xattr remove /data/a.csv user.origin"})
@JsonFields(
    shape = "one object",
    value = {"path: absolute", "removed: the name"})
final class XattrRemoveCommand extends FilesOperation {
  @Parameters(index = "0", paramLabel = "PATH", description = "The file.")
  private String argument;

  @Parameters(index = "1", paramLabel = "NAME", description = "With its name space: user.origin.")
  private String name;

  @Override
  protected void check() {
    path(argument);
    XattrValue.checkName(name);
  }

  @Override
  protected void run(FilesSession session, Failures failures) throws IOException {
    WeftPath path = path(argument);
    session.files().removeXattr(path, name);
    report(node -> node.put("path", path.toString()).put("removed", name));
  }
}
