package org.weft.cli.bladeset;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.weft.cli.cluster.AdminCommand;
import org.weft.cli.cluster.AdminView;
import org.weft.protocol.layout.FaultDomain;
import org.weft.protocol.wire.ChangeBladeSetRequest;

/** The common part of the commands on BladeSets. They speak with SysMgr alone. */
abstract class BladeSetAction extends AdminCommand {
  BladeSetAction() {
    super("bladeset");
  }

  /** A change that this user asks for. */
  final ChangeBladeSetRequest.Builder wanted(String name) {
    return ChangeBladeSetRequest.newBuilder()
        .setUser(cluster().userName())
        .addAllGroups(cluster().groups())
        .setName(name);
  }

  /** Has it carried out, then says so. */
  final void change(
      AdminView admin, ChangeBladeSetRequest.Builder wanted, ObjectNode done, String sentence) {
    var unused = admin.placement().changeBladeSet(wanted.build()).join();
    say(done, sentence);
  }

  final FaultDomain.Wish wish(String word) {
    return FaultDomain.Wish.ofWord(word)
        .orElseThrow(
            () ->
                wrong(
                    "--domain: expected one of "
                        + String.join(", ", FaultDomain.Wish.words())
                        + ", got '"
                        + word
                        + "'"));
  }
}
