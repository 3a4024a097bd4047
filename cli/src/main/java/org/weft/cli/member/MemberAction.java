package org.weft.cli.member;

import java.util.List;
import org.weft.cli.cluster.AdminCommand;
import org.weft.cli.cluster.AdminView;
import org.weft.protocol.wire.SysmgrRow;

/** The common part of the commands on members. */
abstract class MemberAction extends AdminCommand {
  MemberAction() {
    super("member");
  }

  final List<SysmgrRow> rows(AdminView admin) {
    return admin.view().status().join().getSysmgrMembersList();
  }

  /** The row that an operator names by its id or its address. */
  final SysmgrRow named(AdminView admin, String name) {
    List<SysmgrRow> rows = rows(admin);
    return rows.stream()
        .filter(row -> name.equals(Integer.toString(row.getMemberId())) || name.equals(rpc(row)))
        .findFirst()
        .orElseThrow(
            () ->
                wrong(
                    "there is no '"
                        + name
                        + "' among the members and the processes that wait; `weft sysmgr member list` shows them"));
  }

  static String rpc(SysmgrRow row) {
    return row.getRpc().getHost() + ":" + row.getRpc().getPort();
  }

  static String log(SysmgrRow row) {
    return row.getLog().getHost() + ":" + row.getLog().getPort();
  }
}
