package org.weft.cli.member;

import java.util.concurrent.CompletableFuture;
import org.weft.client.cluster.MemberAdmin;
import picocli.CommandLine.Command;

/** {@code weft sysmgr member remove}. */
@Command(
    name = "remove",
    description =
        "Takes a member away: one that is lost, or moves, or is not needed any more. Its id is"
            + " never used again.",
    footerHeading = "%nExamples:%n",
    footer = "  weft sysmgr member remove 2 --join-token-file /etc/weft/join-token")
final class MemberRemoveCommand extends MemberChangeAction {
  MemberRemoveCommand() {
    super(false);
  }

  @Override
  CompletableFuture<?> change(MemberAdmin admin, int memberId) {
    return admin.remove(memberId);
  }
}
