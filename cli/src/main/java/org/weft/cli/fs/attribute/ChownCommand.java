package org.weft.cli.fs.attribute;

import java.util.List;
import java.util.Optional;
import org.weft.cli.output.JsonFields;
import org.weft.client.AttributeChanges;
import org.weft.client.FileStatus;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Sets owners and groups. */
@Command(
    name = "chown",
    description = {"Sets owner and group.", "Only the superuser may give files away."},
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft fs chown ann /data/a.csv",
      "  weft fs chown -R ann:staff /user/ann",
      "  weft fs chown :staff /data            the group only"
    })
@JsonFields(
    shape = "one object",
    value = {
      "changed: how many were set; what was so already does not count",
      "errors: how many failures",
      "failed: true if there were any"
    })
public final class ChownCommand extends AttributeCommand {
  @Parameters(index = "0", paramLabel = "[USER][:GROUP]", description = "The new owner and group.")
  private String owner;

  @Parameters(index = "1..*", arity = "1..*", paramLabel = "PATH", description = "What to change.")
  private List<String> arguments;

  private Ownership wanted;

  @Override
  List<String> paths() {
    return arguments;
  }

  @Override
  protected void check() {
    super.check();
    wanted = Ownership.parse(owner);
  }

  @Override
  Optional<AttributeChanges> changes(FileStatus status) {
    return wanted.changes(status);
  }
}
