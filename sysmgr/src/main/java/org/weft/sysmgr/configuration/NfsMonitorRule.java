package org.weft.sysmgr.configuration;

import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.rpc.Endpoint;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.nfs.NfsMonitor;
import org.weft.sysmgr.configuration.nfs.NfsServed;
import org.weft.sysmgr.configuration.nfs.NfsWatched;
import org.weft.sysmgr.configuration.state.Configuration;

/**
 * Which gateway serves an address of NFS, and which hosts have locks by way of it (P 6.5f). A
 * repeat of a claim or of a change gets the same answer and changes nothing.
 */
final class NfsMonitorRule {
  private NfsMonitorRule() {}

  static Decision decide(Configuration state, Command.TakeNfsAddresses command) {
    NfsMonitor monitor = state.nfs().monitor();
    if (command.servers().stream().allMatch(server -> monitor.isHeldBy(server, command.claim()))) {
      return Decision.unchanged(state, new CommandResult.Done());
    }
    int next = monitor.nextState(command.nowMillis());
    SortedMap<String, NfsServed> served = new TreeMap<>(monitor.served());
    command.servers().stream().map(Endpoint::toString).forEach(served::remove);
    NfsMonitor.shrink(served, monitor, NfsMonitor.MAX_SERVED - command.servers().size());
    for (Endpoint server : command.servers()) {
      served.put(server.toString(), new NfsServed(command.claim(), next, 0, command.nowMillis()));
    }
    if (served.size() > NfsMonitor.MAX_SERVED) {
      return Decision.refused(
          state,
          ErrorCode.OVERLOADED,
          "%d addresses of NFS gateways have clients with locks, and there can be no more"
              .formatted(NfsMonitor.MAX_SERVED));
    }
    return next(state, new NfsMonitor(next, served, monitor.watched()));
  }

  /** What is said of an address that is another gateway's by now, or was heard already, is void. */
  static Decision decide(Configuration state, Command.WatchNfsClients command) {
    NfsMonitor monitor = state.nfs().monitor();
    SortedMap<String, NfsServed> served = new TreeMap<>(monitor.served());
    SortedMap<NfsWatched, Long> watched = new TreeMap<>(monitor.watched());
    command
        .claims()
        .forEach(
            (server, claim) -> {
              NfsServed now = monitor.served().get(server);
              if (now == null || now.claim() != claim || now.number() >= command.number()) {
                return;
              }
              served.put(server, now.at(command.number()));
              command.removed().stream()
                  .filter(each -> each.server().toString().equals(server))
                  .forEach(watched::remove);
              command.added().stream()
                  .filter(each -> each.server().toString().equals(server))
                  .forEach(
                      each -> {
                        if (watched.size() < NfsMonitor.MAX_WATCHED) {
                          watched.putIfAbsent(each, command.nowMillis());
                        }
                      });
            });
    NfsMonitor after = new NfsMonitor(monitor.lastState(), served, watched);
    return after.equals(monitor)
        ? Decision.unchanged(state, new CommandResult.Done())
        : next(state, after);
  }

  private static Decision next(Configuration state, NfsMonitor monitor) {
    ConfigurationDraft draft = new ConfigurationDraft(state);
    draft.nfs(state.nfs().with(monitor));
    return new Decision(draft.freeze(), new CommandResult.Done());
  }
}
