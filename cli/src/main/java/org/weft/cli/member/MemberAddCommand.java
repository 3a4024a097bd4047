package org.weft.cli.member;

import java.io.IOException;
import java.nio.file.Path;
import org.weft.cli.output.PrintableText;
import org.weft.client.cluster.MemberAdmin;
import org.weft.protocol.wire.SysmgrRow;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weft sysmgr member add}. */
@Command(
    name = "add",
    description =
        "Lets a process that was started with `weft sysmgr --join` become a member: it gets the"
            + " log, then it votes.",
    footerHeading = "%nExamples:%n",
    footer = "  weft sysmgr member add storage1:7300 --join-token-file /etc/weft/join-token")
final class MemberAddCommand extends MemberAction {
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
    admin.add(row.getMemberId()).join();
    out()
        .printf(
            "SysMgr member %d at %s is a member now%n",
            row.getMemberId(), PrintableText.of(rpc(row)));
  }
}
