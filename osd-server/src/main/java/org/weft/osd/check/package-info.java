/** Proves that a stopped store is sound: {@code weft osd check}. */
package org.weft.osd.check;
