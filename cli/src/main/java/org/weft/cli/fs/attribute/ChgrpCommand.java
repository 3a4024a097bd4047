package org.weft.cli.fs.attribute;

import java.util.List;
import java.util.Optional;
import org.weft.cli.output.JsonFields;
import org.weft.client.AttributeChanges;
import org.weft.client.FileStatus;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Sets groups. */
@Command(
    name = "chgrp",
    description = {"Sets the group.", "An owner may choose among the groups of his own."},
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {"  weft fs chgrp staff /data/a.csv", "  weft fs chgrp -R staff /data"})
@JsonFields(
    shape = "one object",
    value = {
      "changed: how many were set; what was so already does not count",
      "errors: how many failures",
      "failed: true if there were any"
    })
public final class ChgrpCommand extends AttributeCommand {
  @Parameters(index = "0", paramLabel = "GROUP", description = "The new group.")
  private String group;

  @Parameters(index = "1..*", arity = "1..*", paramLabel = "PATH", description = "What to change.")
  private List<String> arguments;

  @Override
  List<String> paths() {
    return arguments;
  }

  @Override
  protected void check() {
    super.check();
    if (group.isEmpty() || group.indexOf(':') >= 0) {
      throw wrong("expected the name of a group, got '" + group + "'");
    }
  }

  @Override
  Optional<AttributeChanges> changes(FileStatus status) {
    return new Ownership(Optional.empty(), Optional.of(group)).changes(status);
  }
}
