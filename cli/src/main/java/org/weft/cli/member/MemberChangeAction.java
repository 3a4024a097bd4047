package org.weft.cli.member;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.weft.cli.cluster.AdminView;
import org.weft.cli.cluster.JoinTokenOption;
import org.weft.cli.output.PrintableText;
import org.weft.client.cluster.MemberAdmin;
import org.weft.protocol.wire.SysmgrRow;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** A change of one member, which an operator names and signs. */
abstract class MemberChangeAction extends MemberAction {
  private final String done;

  @Parameters(paramLabel = "MEMBER", description = "Its id, or its address HOST:PORT.")
  private String member;

  @Mixin private JoinTokenOption joinToken = new JoinTokenOption();

  /**
   * @param done what is so when it is done, as in "SysMgr member 3 at ... is a member now"
   */
  MemberChangeAction(String done) {
    this.done = done;
  }

  abstract CompletableFuture<?> change(MemberAdmin admin, int memberId);

  @Override
  protected final void run(AdminView admin) throws IOException {
    MemberAdmin members = admin.members(joinToken.read());
    SysmgrRow row = named(admin, member);
    var unused = change(members, row.getMemberId()).join();
    out()
        .printf("SysMgr member %d at %s %s%n", row.getMemberId(), PrintableText.of(rpc(row)), done);
  }
}
