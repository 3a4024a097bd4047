package org.weft.cli.member;

import org.weft.cli.output.CommandGroup;
import picocli.CommandLine.Command;

/** {@code weft sysmgr member}. */
@Command(
    name = "member",
    description = "Shows the members of SysMgr, adds some and takes some away, while they serve.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft sysmgr member list",
      "  weft sysmgr member add storage1:7300 --join-token-file /etc/weft/join-token"
    },
    subcommands = {MemberListCommand.class, MemberAddCommand.class, MemberRemoveCommand.class})
public final class MemberCommand extends CommandGroup {}
