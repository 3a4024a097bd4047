package org.weft.cli.restore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.RpcListener;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.protocol.wire.GetConfigurationCopyReply;
import org.weft.sysmgr.configuration.ConfigurationMachine;
import org.weft.sysmgr.configuration.cluster.Secret;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.restore.SealedCopy;

/** Which copies of the configuration count. */
class CopySourcesTest {
  private static final ClusterId CLUSTER = new ClusterId("c".repeat(32));
  private static final int SECONDS = 20;

  @TempDir private Path folder;
  private final SystemEnvironment system = SystemEnvironment.create();
  private byte[] ownToken;
  private byte[] otherToken;
  private volatile ByteString answered = ByteString.EMPTY;
  private RpcListener osd;

  @BeforeEach
  void listen() throws Exception {
    ownToken = token(1);
    otherToken = token(2);
    osd =
        system
            .environment()
            .transport()
            .listen(
                new Endpoint("127.0.0.1", 0),
                ListenOptions.of(() -> Optional.of(CLUSTER), "osd", 1),
                request ->
                    request.reply(
                        GetConfigurationCopyReply.newBuilder()
                            .setOsdId(1)
                            .setIdentity("a")
                            .setConfigurationCopy(answered)
                            .build()))
            .toCompletableFuture()
            .get(SECONDS, TimeUnit.SECONDS);
  }

  @AfterEach
  void close() {
    osd.close();
    system.close();
  }

  private static byte[] token(int value) {
    byte[] token = new byte[32];
    token[0] = (byte) value;
    return token;
  }

  /** A copy of a cluster of that name, good by its own token. */
  private static ByteString copy(byte[] token) {
    ConfigurationMachine machine = new ConfigurationMachine();
    machine.apply(
        new Command.Format(CLUSTER, "c", Secret.of(token), "root", Secret.of(new byte[32]), 1));
    return SealedCopy.seal(machine.state(), 7);
  }

  @Test
  void networkCopyCountsOnlyWithTheKnownTokensSignature() {
    CopySources sources = new CopySources(system.environment());
    answered = copy(otherToken);
    sources.ask(osd.address(), ownToken);
    assertEquals(List.of(), sources.copies());
    assertTrue(
        sources.failures().get(0).contains("not signed with this cluster's join token"),
        sources.failures().toString());
    answered = copy(ownToken);
    sources.ask(osd.address(), ownToken);
    assertEquals(1, sources.copies().size());
  }

  @Test
  void aCopyOnADiskBringsItsOwnToken() throws Exception {
    Files.write(folder.resolve("configuration-copy"), copy(otherToken).toByteArray());
    CopySources sources = new CopySources(system.environment());
    sources.read(folder);
    assertEquals(1, sources.copies().size(), sources.failures().toString());
  }
}
