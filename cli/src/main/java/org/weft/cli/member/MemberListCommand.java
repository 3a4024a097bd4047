package org.weft.cli.member;

import java.util.List;
import java.util.Locale;
import org.weft.cli.cluster.AdminView;
import org.weft.cli.output.PrintableText;
import org.weft.protocol.wire.SysmgrRow;
import picocli.CommandLine.Command;

/** {@code weft sysmgr member list}. */
@Command(
    name = "list",
    description = "Lists the members of SysMgr, and the processes that wait to be added.",
    footerHeading = "%nExamples:%n",
    footer = "  weft sysmgr member list --cluster storage0:7300")
final class MemberListCommand extends MemberAction {
  @Override
  protected void run(AdminView admin) {
    List<SysmgrRow> rows = rows(admin);
    for (SysmgrRow row : rows) {
      out()
          .printf(
              Locale.ROOT,
              "%3d  %-21s  log %-21s  %s%n",
              row.getMemberId(),
              PrintableText.of(rpc(row)),
              PrintableText.of(log(row)),
              MemberState.of(row));
    }
  }
}
