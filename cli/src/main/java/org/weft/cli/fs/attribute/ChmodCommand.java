package org.weft.cli.fs.attribute;

import java.util.List;
import java.util.Optional;
import org.weft.cli.output.JsonFields;
import org.weft.client.AttributeChanges;
import org.weft.client.FileStatus;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Sets permissions. */
@Command(
    name = "chmod",
    description = {
      "Sets permissions.",
      "Octal, or by clauses of users (u, g, o, a), + - or =, and bits (r, w, x, X, s, t, or u, g, o to"
          + " copy). Without users, the umask's bits are left alone."
    },
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft fs chmod 640 /data/a.csv",
      "  weft fs chmod u+x,go-w /data/run.sh",
      "  weft fs chmod -R a+rX /data        files readable, directories searchable too"
    })
@JsonFields(
    shape = "one object",
    value = {
      "changed: how many were set; what was so already does not count",
      "errors: how many failures",
      "failed: true if there were any"
    })
public final class ChmodCommand extends AttributeCommand {
  private static final int READ_AND_SEARCH = 0555;

  @Parameters(index = "0", paramLabel = "MODE", description = "Like 0644 or u+x,go-w.")
  private String mode;

  @Parameters(index = "1..*", arity = "1..*", paramLabel = "PATH", description = "What to change.")
  private List<String> arguments;

  private ModeChange change;

  @Override
  List<String> paths() {
    return arguments;
  }

  @Override
  protected void check() {
    super.check();
    change = ModeChange.parse(mode, cluster().umask());
  }

  private int wanted(FileStatus status) {
    return change.applyTo(status.mode(), status.isDirectory());
  }

  @Override
  Optional<AttributeChanges> changes(FileStatus status) {
    int wanted = wanted(status);
    return wanted == status.mode()
        ? Optional.empty()
        : Optional.of(AttributeChanges.none().withMode(wanted));
  }

  @Override
  boolean closes(FileStatus directory) {
    return (directory.mode() & ~wanted(directory) & READ_AND_SEARCH) != 0;
  }
}
