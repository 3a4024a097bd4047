package org.weft.cli.member;

import java.util.concurrent.CompletableFuture;
import org.weft.client.cluster.MemberAdmin;
import picocli.CommandLine.Command;

/** {@code weft sysmgr member add}. */
@Command(
    name = "add",
    description =
        "Lets a process that was started with `weft sysmgr --join` become a member: it gets the"
            + " log, then it votes.",
    footerHeading = "%nExamples:%n",
    footer = "  weft sysmgr member add storage1:7300 --join-token-file /etc/weft/join-token")
final class MemberAddCommand extends MemberChangeAction {
  MemberAddCommand() {
    super(true);
  }

  @Override
  CompletableFuture<?> change(MemberAdmin admin, int memberId) {
    return admin.add(memberId);
  }
}
