package org.weft.cli.fs;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.weft.cli.files.FilesSession;
import org.weft.cli.files.PathsOperation;
import org.weft.cli.output.Failures;
import org.weft.cli.output.JsonFields;
import org.weft.protocol.acl.AclChange;
import org.weft.protocol.acl.AclEntry;
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
      "A mask that is not named is computed anew: all that named users and all groups have."
    },
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft fs setfacl -m user:bob:r-x,default:user:bob:r-x /data",
      "  weft fs setfacl -x user:bob /data/a.csv",
      "  weft fs setfacl --set user::rwx,group::r-x,other::---,group:audit:r-x /data",
      "  weft fs setfacl -b /data        the mode alone counts again"
    })
@JsonFields(
    shape = "an object for each path",
    value = {
      "path: absolute",
      "change: replace, modify, remove_entries, remove_default or remove_all",
      "entries: those that were named"
    })
final class SetFaclCommand extends PathsOperation {
  @ArgGroup(multiplicity = "1")
  private Wish wish;

  /** What is to be done: one of these. */
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

  @Override
  protected void check() {
    checkPaths(arguments);
    try {
      var unused = wish.entries();
    } catch (IllegalArgumentException e) {
      throw wrong(e.getMessage());
    }
  }

  @Override
  protected void run(FilesSession session, Failures failures) throws IOException {
    AclChange change = wish.change();
    List<AclEntry> entries = wish.entries();
    forEach(
        session.files(),
        arguments,
        failures,
        path -> {
          session.files().changeAcl(path, change, entries);
          report(
              node -> {
                var named =
                    node.put("path", path.toString())
                        .put("change", change.name().toLowerCase(Locale.ROOT))
                        .putArray("entries");
                entries.forEach(entry -> named.add(entry.toString()));
              });
        });
  }
}
