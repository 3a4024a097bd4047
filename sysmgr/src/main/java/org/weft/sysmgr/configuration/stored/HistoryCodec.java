package org.weft.sysmgr.configuration.stored;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.protocol.wire.NoteHistoriesCommand;
import org.weft.protocol.wire.StoredHistory;
import org.weft.protocol.wire.StoredProof;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.node.NodeHistory;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.StartProof;

/** What is known of nodes' starts, as commands and snapshots keep it. */
final class HistoryCodec {
  private HistoryCodec() {}

  static StoredProof stored(StartProof proof) {
    return StoredProof.newBuilder()
        .setStartId(proof.startId())
        .addAllKnownStarts(proof.knownStarts())
        .setCheckpoint(proof.checkpoint())
        .setChange(proof.change())
        .build();
  }

  static StartProof proof(StoredProof stored) {
    return new StartProof(
        stored.getStartId(),
        stored.getKnownStartsList(),
        stored.getCheckpoint(),
        stored.getChange());
  }

  static StoredHistory.Builder stored(NodeHistory history) {
    return StoredHistory.newBuilder()
        .setStartId(history.startId())
        .setCheckpoint(history.checkpoint())
        .setChange(history.change())
        .setRestored(history.restored());
  }

  static NodeHistory history(StoredHistory stored) {
    return new NodeHistory(
        stored.getStartId(), stored.getCheckpoint(), stored.getChange(), stored.getRestored());
  }

  static List<StoredHistory> stored(SortedMap<NodeKey, NodeHistory> histories) {
    return histories.entrySet().stream()
        .map(
            each -> {
              StoredHistory.Builder stored = stored(each.getValue());
              int id = each.getKey().id();
              return switch (each.getKey().kind()) {
                case OSD -> stored.setOsdId(id).build();
                case MANAGER -> stored.setManagerId(id).build();
              };
            })
        .toList();
  }

  static SortedMap<NodeKey, NodeHistory> histories(List<StoredHistory> stored) {
    SortedMap<NodeKey, NodeHistory> histories = new TreeMap<>();
    for (StoredHistory each : stored) {
      NodeKey node =
          each.getOsdId() != 0
              ? new NodeKey(NodeKey.Kind.OSD, each.getOsdId())
              : new NodeKey(NodeKey.Kind.MANAGER, each.getManagerId());
      histories.put(node, history(each));
    }
    return histories;
  }

  static NoteHistoriesCommand stored(Command.NoteHistories command) {
    return NoteHistoriesCommand.newBuilder().addAllHistories(stored(command.histories())).build();
  }

  static Command command(NoteHistoriesCommand stored) {
    return new Command.NoteHistories(histories(stored.getHistoriesList()));
  }
}
