/** What one object store costs as it grows, without a cluster around it. */
package org.weft.bench.store;
