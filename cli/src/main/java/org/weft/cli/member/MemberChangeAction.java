package org.weft.cli.member;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.weft.cli.output.PrintableText;
import org.weft.client.cluster.MemberAdmin;
import org.weft.protocol.wire.SysmgrRow;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A change of one member, which an operator names and signs. */
abstract class MemberChangeAction extends MemberAction {
  private final String done;

  @Parameters(paramLabel = "MEMBER", description = "Its id, or its address HOST:PORT.")
  private String member;

  @Option(
      names = "--join-token-file",
      paramLabel = "FILE",
      description = "The cluster's join token; else the file that $WEFT_JOIN_TOKEN_FILE names.")
  private Path tokenFile;

  /**
   * @param done what is so when it is done, as in "SysMgr member 3 at ... is a member now"
   */
  MemberChangeAction(String done) {
    this.done = done;
  }

  abstract CompletableFuture<?> change(MemberAdmin admin, int memberId);

  @Override
  final void run(Session session) throws IOException {
    MemberAdmin admin = admin(session, tokenFile);
    SysmgrRow row = named(session, member);
    var unused = change(admin, row.getMemberId()).join();
    out()
        .printf("SysMgr member %d at %s %s%n", row.getMemberId(), PrintableText.of(rpc(row)), done);
  }
}
