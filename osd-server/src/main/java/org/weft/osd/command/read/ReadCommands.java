package org.weft.osd.command.read;

import java.util.EnumMap;
import java.util.Map;
import java.util.function.Supplier;
import org.weft.osd.command.request.CapabilityChecker;
import org.weft.osd.command.request.CommandHandler;
import org.weft.osd.store.BadBlocks;
import org.weft.osd.store.ObjectStore;
import org.weft.protocol.rpc.Opcode;

/** The commands that change nothing, and the handler of each. */
public final class ReadCommands {
  private ReadCommands() {}

  /**
   * Those that a capability allows.
   *
   * @param badBlocks asked at each command for what is known of bad blocks
   */
  public static Map<Opcode, CommandHandler> handlers(
      CapabilityChecker checker, ObjectStore store, Supplier<BadBlocks> badBlocks) {
    Map<Opcode, CommandHandler> handlers = new EnumMap<>(Opcode.class);
    handlers.put(Opcode.READ, new ReadHandler(checker, store));
    handlers.put(Opcode.GET_STAMP, new GetStampHandler(checker, store));
    handlers.put(Opcode.LIST_PENDING, new ListPendingHandler(checker, store));
    handlers.put(Opcode.READ_DELTA, new ReadDeltaHandler(checker, store));
    handlers.put(Opcode.LIST, new ListHandler(checker, store));
    handlers.put(Opcode.FLUSH, new FlushHandler(checker, store));
    handlers.put(Opcode.LIST_BAD_BLOCKS, new ListBadBlocksHandler(checker, badBlocks));
    handlers.put(Opcode.REPORT_BAD_BLOCKS, new ReportBadBlocksHandler(checker, badBlocks));
    return handlers;
  }
}
