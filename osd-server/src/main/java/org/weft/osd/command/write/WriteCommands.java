package org.weft.osd.command.write;

import java.util.EnumMap;
import java.util.Map;
import org.weft.osd.command.request.CapabilityChecker;
import org.weft.osd.command.request.CommandHandler;
import org.weft.osd.command.request.CommittedHandler;
import org.weft.osd.command.request.MutationHandler;
import org.weft.osd.store.ObjectStore;
import org.weft.protocol.rpc.Opcode;

/** The commands that change objects, and the handler of each. */
public final class WriteCommands {
  private WriteCommands() {}

  /** Those that may be items of a BATCH. */
  public static Map<Opcode, MutationHandler> inBatches(
      CapabilityChecker checker, ObjectStore store) {
    Map<Opcode, MutationHandler> handlers = new EnumMap<>(Opcode.class);
    handlers.put(Opcode.WRITE, new WriteHandler(checker));
    handlers.put(Opcode.WRITE_BLOCKS, new WriteBlocksHandler(checker, store));
    handlers.put(Opcode.SET_ATTRIBUTES, new SetAttributesHandler(checker));
    handlers.put(Opcode.REMOVE, new RemoveHandler(checker));
    handlers.put(Opcode.RAISE_VERSION, new RaiseVersionHandler(checker));
    handlers.put(Opcode.FENCE, new FenceHandler(checker));
    handlers.put(Opcode.ABORT, new AbortHandler(checker));
    handlers.put(Opcode.COMPLETE, new CompleteHandler(checker));
    return handlers;
  }

  /** Those that have a frame of their own. */
  public static Map<Opcode, CommandHandler> inFrames(CapabilityChecker checker, ObjectStore store) {
    Map<Opcode, CommandHandler> handlers = new EnumMap<>(Opcode.class);
    handlers.put(Opcode.XOR_READ_WRITE, new XorReadWriteHandler(checker, store));
    handlers.put(Opcode.XOR_WRITE, new CommittedHandler(store, new XorWriteHandler(checker)));
    handlers.put(Opcode.TRUNCATE, ReleaseHandler.truncate(checker, store));
    handlers.put(Opcode.PUNCH, ReleaseHandler.punch(checker, store));
    return handlers;
  }
}
