package org.weft.osd.contract;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.contract.ContractCalls.BLOCK;
import static org.weft.osd.contract.ContractCalls.UNIT;
import static org.weft.osd.contract.ContractSteps.CLIENT;
import static org.weft.osd.contract.ContractSteps.GRANT;
import static org.weft.osd.contract.ContractSteps.MANAGER;
import static org.weft.osd.contract.ContractSteps.good;
import static org.weft.osd.contract.ContractSteps.refused;
import static org.weft.osd.contract.ContractSteps.withFirstUnit;
import static org.weft.osd.contract.ContractSteps.write;

import org.junit.jupiter.api.Test;
import org.weft.osd.harness.Blocks;
import org.weft.protocol.error.ErrorCode;

/**
 * An OSD that can write nothing any more, and goes on running: files are written around it, and it
 * takes neither a version nor a removal that would keep readers with old maps away (P 5.8).
 */
class FailedDiskTest {
  @Test
  void clientsDoNotReadAnOsdThatMayBeOutdated() {
    try (RealContractOsd osd = new RealContractOsd(1)) {
      var unused = withFirstUnit(osd);
      good(osd, CLIENT.read(0, BLOCK));
      osd.failTables();
      byte[] block = Blocks.random(7, BLOCK);
      assertNotNull(write(CLIENT, GRANT, 2, UNIT, block).to(osd).error());
      refused(ErrorCode.STORE_FAILED, osd, CLIENT.read(0, BLOCK));
      refused(ErrorCode.STORE_FAILED, osd, write(CLIENT, GRANT, 3, UNIT, block));
      refused(ErrorCode.STORE_FAILED, osd, MANAGER.raise(GRANT + 1));
      good(osd, MANAGER.read(0, BLOCK));
      assertFalse(osd.isSilent());
      osd.restart();
      assertTrue(osd.mayLackWrites(), "it comes back as if nothing had happened");
      good(osd, CLIENT.read(0, BLOCK));
    }
  }

  /** No client may write around what comes back as if nothing had happened (P 5.8). */
  @Test
  void anOsdThatCannotNoteItsFailureHidesIt() {
    try (RealContractOsd osd = new RealContractOsd(1)) {
      var unused = withFirstUnit(osd);
      osd.failTablesAndFolder();
      byte[] block = Blocks.random(7, BLOCK);
      refused(ErrorCode.UNAVAILABLE, osd, write(CLIENT, GRANT, 2, UNIT, block));
      assertTrue(osd.isSilent());
      refused(ErrorCode.UNAVAILABLE, osd, CLIENT.read(0, BLOCK));
      refused(ErrorCode.UNAVAILABLE, osd, write(CLIENT, GRANT, 3, UNIT, block));
      refused(ErrorCode.UNAVAILABLE, osd, MANAGER.raise(GRANT + 1));
      refused(ErrorCode.UNAVAILABLE, osd, MANAGER.read(0, BLOCK));
      osd.restart();
      assertFalse(osd.mayLackWrites());
      good(osd, CLIENT.read(0, BLOCK));
    }
  }
}
