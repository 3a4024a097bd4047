package org.weft.client.raid;

import java.nio.ByteBuffer;

/**
 * A change δ of one data unit is multiplied by this before it is added to a unit of its stripe. It
 * is 1 for the data unit itself, (2^j)^i for parity P_j (P 5.3). Never zero.
 */
public record Coefficient(int value) {
  private static final int ONE = 1;

  public Coefficient {
    if (value < ONE || value > Gf256.ORDER) {
      throw new IllegalArgumentException("a coefficient is 1..255, got " + value);
    }
  }

  /**
   * Of a change of d_i.
   *
   * @param dataUnit i
   * @param role i for d_i itself, -1 - j for P_j
   */
  public static Coefficient of(int dataUnit, int role) {
    if (role >= 0 && role != dataUnit) {
      throw new IllegalArgumentException("d_" + dataUnit + " does not change d_" + role);
    }
    return new Coefficient(role >= 0 ? ONE : Gf256.powerOfTwo((-1 - role) * dataUnit));
  }

  /** Turns what is added to the unit with that coefficient into what is added to this one. */
  public Coefficient dividedBy(Coefficient other) {
    return new Coefficient(Gf256.multiply(value, Gf256.inverse(other.value)));
  }

  /** A new buffer with every byte of the remaining ones multiplied; their position stays. */
  public ByteBuffer times(ByteBuffer delta) {
    int[] products = new int[Gf256.ORDER + 1];
    for (int each = 0; each < products.length; each++) {
      products[each] = Gf256.multiply(each, value);
    }
    ByteBuffer product = ByteBuffer.allocate(delta.remaining());
    for (int index = delta.position(); index < delta.limit(); index++) {
      product.put((byte) products[delta.get(index) & 0xff]);
    }
    return product.flip();
  }
}
