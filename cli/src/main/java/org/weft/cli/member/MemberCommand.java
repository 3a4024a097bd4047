package org.weft.cli.member;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weft sysmgr member}. */
@Command(
    name = "member",
    description = "Shows the members of SysMgr, adds some and takes some away, while they serve.",
    mixinStandardHelpOptions = true,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft sysmgr member list",
      "  weft sysmgr member add storage1:7300 --join-token-file /etc/weft/join-token"
    },
    subcommands = {MemberListCommand.class, MemberAddCommand.class, MemberRemoveCommand.class})
public final class MemberCommand implements Runnable {
  @Spec private CommandLine.Model.CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "weft: sysmgr member: name one of list, add, remove");
  }
}
