package org.weft.cli.member;

import java.io.IOException;
import java.nio.file.Path;
import org.weft.cli.output.PrintableText;
import org.weft.client.cluster.MemberAdmin;
import org.weft.protocol.wire.SysmgrRow;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weft sysmgr member remove}. */
@Command(
    name = "remove",
    description =
        "Takes a member away: one that is lost, or moves, or is not needed any more. Its id is"
            + " never used again.",
    footerHeading = "%nExamples:%n",
    footer = "  weft sysmgr member remove 2 --join-token-file /etc/weft/join-token")
final class MemberRemoveCommand extends MemberAction {
  @Parameters(paramLabel = "MEMBER", description = "Its id, or its address HOST:PORT.")
  private String member;

  @Option(
      names = "--join-token-file",
      paramLabel = "FILE",
      description = "The cluster's join token; else the file that $WEFT_JOIN_TOKEN_FILE names.")
  private Path tokenFile;

  @Override
  void run(Session session) throws IOException {
    MemberAdmin admin = admin(session, tokenFile);
    SysmgrRow row = named(session, member);
    admin.remove(row.getMemberId()).join();
    out()
        .printf(
            "SysMgr member %d at %s is no member any more%n",
            row.getMemberId(), PrintableText.of(rpc(row)));
  }
}
