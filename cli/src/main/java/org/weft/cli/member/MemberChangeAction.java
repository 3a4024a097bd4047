package org.weft.cli.member;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.weft.cli.cluster.AdminView;
import org.weft.cli.cluster.JoinTokenOption;
import org.weft.cli.output.JsonFields;
import org.weft.cli.output.PrintableText;
import org.weft.client.cluster.MemberAdmin;
import org.weft.protocol.wire.SysmgrRow;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** A change of one member, which an operator names and signs. */
@JsonFields(
    shape = "one object",
    value = {
      "memberId: its number",
      "address: where clients and daemons reach it",
      "member: it is a member now; else it is none any more"
    })
abstract class MemberChangeAction extends MemberAction {
  private final boolean isMember;

  @Parameters(paramLabel = "MEMBER", description = "Its id, or its address HOST:PORT.")
  private String member;

  @Mixin private JoinTokenOption joinToken = new JoinTokenOption();

  /**
   * @param isMember when it is done
   */
  MemberChangeAction(boolean isMember) {
    this.isMember = isMember;
  }

  abstract CompletableFuture<?> change(MemberAdmin admin, int memberId);

  @Override
  protected final void run(AdminView admin) throws IOException {
    MemberAdmin members = admin.members(joinToken.read());
    SysmgrRow row = named(admin, member);
    var unused = change(members, row.getMemberId()).join();
    say(
        JsonNodeFactory.instance
            .objectNode()
            .put("memberId", row.getMemberId())
            .put("address", rpc(row))
            .put("member", isMember),
        "SysMgr member %d at %s %s"
            .formatted(
                row.getMemberId(),
                PrintableText.of(rpc(row)),
                isMember ? "is a member now" : "is no member any more"));
  }
}
