package org.weft.sysmgr.status;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.weft.protocol.rpc.Endpoint;

/** Reports what the network must be trusted with. */
final class NetworkRules {
  private NetworkRules() {}

  static List<Finding> findings(StatusView view) {
    List<Finding> findings = new ArrayList<>();
    Stream.concat(
            view.members().stream(),
            view.configuration().nodes().values().stream()
                .flatMap(node -> node.addresses().stream()))
        .filter(address -> !isLoopback(address))
        .findFirst()
        .ifPresent(
            address ->
                findings.add(
                    Finding.warning(
                        "network-trusted",
                        "",
                        "Daemons talk without encryption, for instance at "
                            + address
                            + ": any host that can listen there reads keys and data.",
                        "Use a network that only trusted machines are on.")));
    return findings;
  }

  /** By its name alone: nothing is looked up here. */
  private static boolean isLoopback(Endpoint address) {
    String host = address.host();
    return host.equals("localhost") || host.startsWith("127.") || host.equals("::1");
  }
}
