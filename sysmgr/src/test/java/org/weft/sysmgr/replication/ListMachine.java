package org.weft.sysmgr.replication;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.weft.protocol.seam.ReplicatedLog;

/** Remembers every command in order; answers "COUNT:COMMAND". */
final class ListMachine implements ReplicatedLog.Machine {
  private final List<String> commands = new CopyOnWriteArrayList<>();
  private volatile long lastIndex;
  private final AtomicInteger loads = new AtomicInteger();

  List<String> commands() {
    return List.copyOf(commands);
  }

  /** How often a snapshot was loaded. */
  int loads() {
    return loads.get();
  }

  /** What cannot be read is, here, what is empty. */
  @Override
  public void check(byte[] command) {
    if (command.length == 0) {
      throw new IllegalArgumentException("an empty command");
    }
  }

  @Override
  public byte[] apply(long index, byte[] command) {
    if (index <= lastIndex) {
      throw new IllegalStateException("entry " + index + " after entry " + lastIndex);
    }
    lastIndex = index;
    commands.add(new String(command, StandardCharsets.UTF_8));
    String answer = commands.size() + ":" + commands.get(commands.size() - 1);
    return answer.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void save(OutputStream target) throws IOException {
    DataOutputStream out = new DataOutputStream(target);
    out.writeLong(lastIndex);
    out.writeInt(commands.size());
    for (String command : commands) {
      byte[] bytes = command.getBytes(StandardCharsets.UTF_8);
      out.writeInt(bytes.length);
      out.write(bytes);
    }
    out.flush();
  }

  @Override
  public void load(InputStream source) throws IOException {
    DataInputStream in = new DataInputStream(source);
    long index = in.readLong();
    int count = in.readInt();
    List<String> loaded = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      loaded.add(new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8));
    }
    commands.clear();
    commands.addAll(loaded);
    lastIndex = index;
    loads.incrementAndGet();
  }
}
