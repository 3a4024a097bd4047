package org.weft.cli.fs.attribute;

import java.io.IOException;
import java.util.List;
import org.weft.cli.files.RemoteFiles;
import org.weft.cli.output.JsonFields;
import org.weft.client.FileStatus;
import org.weft.protocol.acl.AclChange;
import org.weft.protocol.acl.AclEntry;
import org.weft.protocol.acl.AclScope;
import org.weft.protocol.acl.AclType;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Changes access control lists. */
@Command(
    name = "setfacl",
    description = {
      "Changes the access control lists of files and directories; for the owner and superusers.",
      "Entries are [default:]TYPE:NAME:RIGHTS, separated by commas; types are user, group, mask and"
          + " other. Default entries of a directory are what new files in it begin with.",
      "A mask that is not named is computed anew: all that named users and all groups have.",
      "With -R default entries are for directories; files get the others."
    },
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft fs setfacl -m user:bob:r-x,default:user:bob:r-x /data",
      "  weft fs setfacl -x user:bob /data/a.csv",
      "  weft fs setfacl --set user::rwx,group::r-x,other::---,group:audit:r-x /data",
      "  weft fs setfacl -R -m group:audit:r-x,default:group:audit:r-x /data",
      "  weft fs setfacl -b /data        the mode alone counts again"
    })
@JsonFields(
    shape = "one object",
    value = {
      "changed: how many were changed",
      "errors: how many failures",
      "failed: true if there were any"
    })
public final class SetFaclCommand extends ChangeCommand {
  private static final int READ_AND_SEARCH = 5;

  @ArgGroup(multiplicity = "1")
  private Wish wish;

  /** The change to make: one of these. */
  static final class Wish {
    @Option(
        names = {"-m", "--modify"},
        paramLabel = "ENTRIES",
        description = "Adds entries, or puts them in the place of their like.")
    private String modify;

    @Option(
        names = "--set",
        paramLabel = "ENTRIES",
        description =
            "Replaces all access entries, or all default ones, or both: those that are named.")
    private String replace;

    @Option(
        names = {"-x", "--remove"},
        paramLabel = "ENTRIES",
        description = "Removes entries, written without rights: user:bob.")
    private String remove;

    @Option(
        names = {"-k", "--remove-default"},
        description = "Removes the default list.")
    private boolean removeDefault;

    @Option(
        names = {"-b", "--remove-all"},
        description = "Removes both lists; the owning group keeps what its entry says.")
    private boolean removeAll;

    AclChange change() {
      if (modify != null) {
        return AclChange.MODIFY;
      }
      if (replace != null) {
        return AclChange.REPLACE;
      }
      if (remove != null) {
        return AclChange.REMOVE_ENTRIES;
      }
      if (removeAll) {
        return AclChange.REMOVE_ALL;
      }
      if (removeDefault) {
        return AclChange.REMOVE_DEFAULT;
      }
      throw new IllegalArgumentException("which change? -m, -x, --set, -k or -b");
    }

    /** Throws {@link IllegalArgumentException} for what is no entry. */
    List<AclEntry> entries() {
      return switch (change()) {
        case MODIFY -> AclEntry.parseAll(modify, true);
        case REPLACE -> AclEntry.parseAll(replace, true);
        case REMOVE_ENTRIES -> AclEntry.parseAll(remove, false);
        case REMOVE_DEFAULT, REMOVE_ALL -> List.of();
      };
    }
  }

  @Parameters(arity = "1..*", paramLabel = "PATH", description = "Files and directories.")
  private List<String> arguments;

  private AclChange change;
  private List<AclEntry> entries;

  @Override
  List<String> paths() {
    return arguments;
  }

  @Override
  protected void check() {
    super.check();
    try {
      change = wish.change();
      entries = wish.entries();
    } catch (IllegalArgumentException e) {
      throw wrong(e.getMessage());
    }
  }

  @Override
  boolean change(RemoteFiles files, FileStatus status) throws IOException {
    if (status.isDirectory() || !isRecursive()) {
      files.changeAcl(status.path(), change, entries);
      return true;
    }
    // A file has no default list.
    List<AclEntry> ofFile =
        entries.stream().filter(entry -> entry.scope() == AclScope.ACCESS).toList();
    if (change == AclChange.REMOVE_DEFAULT || ofFile.isEmpty() && !entries.isEmpty()) {
      return false;
    }
    files.changeAcl(status.path(), change, ofFile);
    return true;
  }

  /** The owner's entry is what lets the owner into a directory. */
  @Override
  boolean closes(FileStatus directory) {
    return entries.stream()
        .anyMatch(
            entry ->
                entry.scope() == AclScope.ACCESS
                    && entry.type() == AclType.USER
                    && !entry.isNamed()
                    && (entry.rights() & READ_AND_SEARCH) != READ_AND_SEARCH);
  }
}
