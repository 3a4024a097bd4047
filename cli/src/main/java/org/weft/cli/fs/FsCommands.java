package org.weft.cli.fs;

import java.util.List;
import org.weft.cli.fs.attribute.ChgrpCommand;
import org.weft.cli.fs.attribute.ChmodCommand;
import org.weft.cli.fs.attribute.ChownCommand;
import org.weft.cli.fs.attribute.GetFaclCommand;
import org.weft.cli.fs.attribute.SetFaclCommand;
import org.weft.cli.fs.attribute.XattrCommand;
import org.weft.cli.transfer.GetCommand;
import org.weft.cli.transfer.PutCommand;
import picocli.CommandLine;

/**
 * The commands below {@code weft fs} by their names. A class is loaded when its command is mounted:
 * a command line that names one need not pay for the others.
 */
public final class FsCommands {
  private static final List<String> NAMES =
      List.of(
          "put",
          "get",
          "cat",
          "tail",
          "ls",
          "find",
          "stat",
          "du",
          "df",
          "test",
          "readlink",
          "mkdir",
          "touch",
          "append",
          "truncate",
          "mv",
          "rm",
          "ln",
          "chmod",
          "chown",
          "chgrp",
          "getfacl",
          "setfacl",
          "xattr");

  private FsCommands() {}

  /** In the order of the help. */
  public static List<String> names() {
    return NAMES;
  }

  /** Puts all commands below this one. */
  public static CommandLine mountAll(CommandLine fs) {
    NAMES.forEach(name -> mount(fs, name));
    return fs.addSubcommand(new CommandLine.HelpCommand());
  }

  /** Puts one command below this one. */
  public static CommandLine mount(CommandLine fs, String name) {
    CommandLine mounted = new CommandLine(command(name));
    // A mode may begin with a minus: chmod -x FILE.
    return fs.addSubcommand(mounted.setUnmatchedOptionsArePositionalParams(name.equals("chmod")));
  }

  private static Object command(String name) {
    return switch (name) {
      case "put" -> new PutCommand();
      case "get" -> new GetCommand();
      case "cat" -> new CatCommand();
      case "tail" -> new TailCommand();
      case "ls" -> new LsCommand();
      case "find" -> new FindCommand();
      case "stat" -> new StatCommand();
      case "du" -> new DuCommand();
      case "df" -> new DfCommand();
      case "test" -> new TestCommand();
      case "readlink" -> new ReadlinkCommand();
      case "mkdir" -> new MkdirCommand();
      case "touch" -> new TouchCommand();
      case "append" -> new AppendCommand();
      case "truncate" -> new TruncateCommand();
      case "mv" -> new MvCommand();
      case "rm" -> new RmCommand();
      case "ln" -> new LnCommand();
      case "chmod" -> new ChmodCommand();
      case "chown" -> new ChownCommand();
      case "chgrp" -> new ChgrpCommand();
      case "getfacl" -> new GetFaclCommand();
      case "setfacl" -> new SetFaclCommand();
      case "xattr" -> new XattrCommand();
      default -> throw new IllegalArgumentException("no command " + name + " below fs");
    };
  }
}
